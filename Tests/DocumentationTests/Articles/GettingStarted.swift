import Foundation
import Glue
import GlueJournal
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them. The
// first counter is the README's program, `ReadmeProgram`.

@Suite("Getting started")
struct GettingStarted {
  struct Counter { var value = 0 }
  enum CounterIntent: Intent { case increment, decrement, roll, rolled(Int) }
  enum CounterEffect: Effect { case ring }
  struct RollDie: Effect, Equatable { var sides = 6 }

  func counter(state: inout Counter, intent: CounterIntent) -> [Effect] {
    switch intent {
    case .increment:
      state.value += 1
      return state.value % 5 == 0 ? [CounterEffect.ring] : []
    case .decrement:
      state.value = max(0, state.value - 1)
      return []
    case .roll:
      return [RollDie()]
    case .rolled(let number):
      state.value += number
      return []
    }
  }

  final class Bell: EffectHandler {
    func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) {
      print("\u{7}", terminator: "")
    }
  }

  @Test func theFifthIncrementRings() {
    expect(counter, from: Counter(value: 4), when: .increment, effects: [CounterEffect.ring]) {
      $0.value = 5
    }
  }

  @Test func aMinusTakesOneAway() {
    expect(counter, from: Counter(value: 1), when: .decrement) { $0.value = 0 }
  }

  @Test func aRollAsksForADie() {
    expect(counter, from: Counter(value: 2), when: .roll, effects: [RollDie()])
  }

  @Test("a broken reducer gives the article's message")
  func message() async throws {
    let article = try text("Sources/Glue/Glue.docc/GettingStarted.md")
    let issues = await recordedIssues {
      expect(broken, from: Counter(value: 1), when: .decrement) { $0.value = 0 }
    }
    #expect(issues.count == 1)
    #expect(issues[0].comments.contains { article.contains("\n\($0.rawValue)\n```") })
  }

  private func broken(state: inout Counter, intent: CounterIntent) -> [Effect] {
    let effects = counter(state: &state, intent: intent)
    state.value = max(1, state.value)
    return effects
  }

  @Test("a whole program")
  func program() {
    var lines = ["", "", "*", "-"][...]
    func readLine() -> String? { lines.popFirst() }

    let store = Store(state: Counter(), reducer: counter)
    store.add(effectHandler: Bell())
    store.on(RollDie.self) { effect, dispatch in
      dispatch(CounterIntent.rolled(.random(in: 1...effect.sides)))
    }
    let subscription = store.subscribe(selector: \.value) { print("Counter: \($0)") }

    while let line = readLine() {
      switch line {
      case "-": store.dispatch(CounterIntent.decrement)
      case "*": store.dispatch(CounterIntent.roll)
      default: store.dispatch(CounterIntent.increment)
      }
    }

    #expect(2...7 ~= store.state.value)
    withExtendedLifetime(subscription) {}
  }

  @Test func aRollCountsOn() async {
    let test = TestStore(state: Counter(value: 2), reducer: counter)
    test.stub(RollDie.self) { _ in [CounterIntent.rolled(4)] }

    await test.send(CounterIntent.roll, effects: [RollDie()])
    await test.receive(CounterIntent.rolled(4)) { $0.value = 6 }
    await test.send(CounterIntent.decrement) { $0.value = 5 }
    await test.finish()
  }
}

@Suite("Getting started: a counter that survives")
struct GettingStartedWithAJournal {
  struct Counter: Codable { var value = 0 }
  enum CounterIntent: Intent, Codable { case increment, decrement, roll, rolled(Int) }
  struct RollDie: Effect, Equatable { var sides = 6 }

  func counter(state: inout Counter, intent: CounterIntent) -> [Effect] {
    switch intent {
    case .increment: state.value += 1
    case .decrement: state.value = max(0, state.value - 1)
    case .roll: return [RollDie()]
    case .rolled(let number): state.value += number
    }
    return []
  }

  private func count(_ intents: [CounterIntent], in directory: TemporaryDirectory) async throws
    -> Int
  {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func Journal(
      at name: String, _ format: JournalFormat<Counter>
    ) throws -> GlueJournal.Journal<Counter> {
      try .init(at: "\(directory.path)/\(name)", format)
    }

    let format = JournalFormat(of: Counter.self, intents: [.named("counter", CounterIntent.self)])
    let journal = try Journal(at: "counter.journal", format)
    let store = try Store(state: Counter(), reducer: counter, journal: journal)
    store.on(RollDie.self) { effect, dispatch in
      dispatch(CounterIntent.rolled(effect.sides))
    }
    for intent in intents { store.dispatch(intent) }
    await store.shutdown()
    try await journal.close()
    return store.state.value
  }

  @Test("a program continues its count, with what the die showed")
  func program() async throws {
    let directory = TemporaryDirectory()
    #expect(try await count([.increment, .roll], in: directory) == 7)
    #expect(try await count([.decrement], in: directory) == 6)
  }
}
