import Glue
import GlueTesting
import Synchronization
import Testing

@Suite("Expecting of a reducer in one expression")
struct ExpectTests {
  @Test("what it does passes, typed or erased, with or without changes and effects")
  func passes() {
    expect(counter, from: Counter(value: 4), when: .increment, effects: [.playSound, .save(5)]) {
      $0.value = 5
    }
    expect(search, from: Search(), when: .typed("a"), .found([]), effects: [query("a")]) {
      $0.text = "a"
    }
    expect(
      reduce(counter), from: Counter(), when: CounterIntent.increment,
      CounterIntent.decrement)
    expect(
      anyCounter, from: Counter(value: 4), when: CounterIntent.increment,
      effects: [CounterEffect.save(5)]
    ) {
      $0.value = 5
    }
  }

  @Test("a broken reducer fails with the difference and nothing else")
  func wrongState() async {
    let messages = await failures {
      expect(counter, from: Counter(value: 1), when: .decrement) { $0.value = 2 }
    }
    #expect(
      messages == [
        """
        CounterIntent.decrement did not behave as expected.
        The state differs from the expected one (expected → actual):
          value: 2 → 0
        """
      ])
  }

  @Test("a change that is not expected fails")
  func unexpectedChange() async {
    let messages = await failures { expect(search, from: Search(), when: .found(["x"])) }
    #expect(
      messages == [
        """
        SearchIntent.found(["x"]) did not behave as expected.
        The state differs from the expected one (expected → actual):
          results[0]: added "x"
        """
      ])
  }

  @Test("forgotten and surplus effects fail, as do those in another order")
  func wrongEffects() async {
    let messages = await failures {
      expect(counter, from: Counter(), when: .increment, effects: [.playSound]) { $0.value = 1 }
      expect(counter, from: Counter(value: 4), when: .increment, effects: [.save(4)]) {
        $0.value = 5
      }
      expect(counter, from: Counter(value: 4), when: .increment, effects: [.save(5), .playSound]) {
        $0.value = 5
      }
    }
    #expect(
      messages == [
        """
        CounterIntent.increment did not behave as expected.
        The effects are others than expected:
          − CounterEffect.playSound (expected, not emitted)
        """,
        """
        CounterIntent.increment did not behave as expected.
        The effects are others than expected:
          − CounterEffect.save(4) (expected, not emitted)
          + CounterEffect.playSound (emitted, not expected)
          + CounterEffect.save(5) (emitted, not expected)
        """,
        """
        CounterIntent.increment did not behave as expected.
        The effects are in another order than expected:
          expected CounterEffect.save(5), CounterEffect.playSound
          emitted  CounterEffect.playSound, CounterEffect.save(5)
        """,
      ])
  }

  /// An effect whose `==` answers at random.
  private struct Fickle: Effect, Equatable {
    private static let generator = Mutex(Xorshift(seed: 0))

    static func == (a: Fickle, b: Fickle) -> Bool {
      generator.withLock { $0.next() % 3 == 0 }
    }
  }

  @Test("effects whose equality contradicts itself fail, and harm nothing")
  func fickleEffects() async {
    func emit(state: inout Int, intent: CounterIntent) -> [Fickle] {
      Array(repeating: Fickle(), count: 100)
    }
    let messages = await failures {
      for _ in 0..<100 {
        expect(
          emit, from: 0, when: .increment, effects: Array(repeating: Fickle(), count: 100))
      }
    }
    #expect(messages.count == 100)
    #expect(messages.allSatisfy { $0.contains("The effects are in another order than expected") })
  }

  @Test("a failure is reported at the caller's line")
  func location() async {
    let line = #line + 2
    let issues = await recordedIssues {
      expect(counter, from: Counter(), when: .increment)
    }
    #expect(issues.map(\.sourceLocation?.line) == [line])
    #expect(issues.first?.sourceLocation?.fileName == "ExpectTests.swift")
  }
}

@Suite("Erased effects")
struct EffectEqualityTests {
  private struct Plain: Effect {
    var numbers: [Int]
  }

  @Test("are compared by type and value with those of one type, of several, and of none")
  func equality() {
    let effects: [any Effect] = [SearchEffect.query("a")]
    #expect(effects == [SearchEffect.query("a")])
    #expect([SearchEffect.query("a")] == effects)
    #expect(!(effects == [SearchEffect.query("b")]))
    #expect(!(effects == [CounterEffect.playSound]))
    #expect(!(effects == []))
    #expect(effects + [CounterEffect.save(1)] == [SearchEffect.query("a"), CounterEffect.save(1)])
    #expect([query("a")] == [query("a")])
    #expect(!([query("a")] == [SearchEffect.query("a")]))
  }

  @Test("are compared part by part if they are not Equatable")
  func parts() {
    let effects: [any Effect] = [Plain(numbers: [1, 2])]
    #expect(effects == [Plain(numbers: [1, 2])])
    #expect(!(effects == [Plain(numbers: [1, 3])]))
  }

  private struct Call: Effect {
    let body: @Sendable () -> Int
  }

  private struct Hidden: Effect, CustomReflectable {
    let number: Int
    var customMirror: Mirror { Mirror(self, children: [:]) }
  }

  /// Says itself what it is, for its closure cannot.
  private struct Named: Effect, Equatable {
    let name: String
    let body: @Sendable () -> Int

    static func == (a: Named, b: Named) -> Bool { a.name == b.name }
  }

  @Test("are the same where they only differ in functions or hidden parts, unless their == decides")
  func hiddenParts() {
    func call(_ number: Int) -> [any Effect] { [Call { number }] }
    func hidden(_ number: Int) -> [any Effect] { [Hidden(number: number)] }
    func named(_ name: String) -> [any Effect] { [Named(name: name) { name.count }] }
    #expect(call(1) == call(2))
    #expect(hidden(1) == hidden(2))
    #expect(!(named("a") == named("b")))
    #expect(named("a") == named("a"))
  }

  @Test("fail readably")
  func readably() async {
    let issues = await recordedIssues {
      let effects: [any Effect] = [CounterEffect.playSound]
      #expect(effects == [CounterEffect.save(1)])
    }
    #expect(issues.count == 1)
    #expect("\(issues)".contains("CounterEffect.playSound]) == ([CounterEffect.save(1)] →"))
  }
}
