import Glue
import GlueTesting
import Testing

/// Laws, checked on samples that a seed makes; a failure names the seed.
@Suite("combineReducers")
struct CombineReducersTests {
  private typealias Sample = RandomReducers

  @Test("no reducers change nothing and have no effects")
  func none() {
    let reducer: Reducer<[Int]> = combineReducers { for none in [] as [Reducer<[Int]>] { none } }
    var state = [1]
    #expect(reducer(&state, CounterIntent.ignore).isEmpty)
    #expect(state == [1])
  }

  @Test("the empty combination is an identity, before and after", arguments: 0..<200)
  func identity(seed: Int) {
    var sample = Sample(seed: seed)
    let reducer = sample.reducer()
    let expected = sample.outcome(of: reducer)
    let empty: Reducer<[Int]> = combineReducers { for none in [] as [Reducer<[Int]>] { none } }
    #expect(sample.outcome(of: combineReducers(empty, reducer)) == expected)
    #expect(sample.outcome(of: combineReducers(reducer, empty)) == expected)
    #expect(sample.outcome(of: combineReducers { reducer }) == expected)
  }

  @Test("nesting makes no difference", arguments: 0..<200)
  func associativity(seed: Int) {
    var sample = Sample(seed: seed)
    let (a, b, c) = (sample.reducer(), sample.reducer(), sample.reducer())
    let flat = sample.outcome(of: combineReducers(a, b, c))
    #expect(sample.outcome(of: combineReducers(combineReducers(a, b), c)) == flat)
    #expect(sample.outcome(of: combineReducers(a, combineReducers(b, c))) == flat)
  }

  @Test("a block is the same as arguments, however its lines are nested", arguments: 0..<200)
  func block(seed: Int) {
    var sample = Sample(seed: seed)
    let (a, b, c) = (sample.reducer(), sample.reducer(), sample.reducer())
    let flat = sample.outcome(of: combineReducers(a, b, c))
    let lines: Reducer<[Int]> = combineReducers {
      a
      b
      c
    }
    #expect(sample.outcome(of: lines) == flat)
    let nested: Reducer<[Int]> = combineReducers {
      combineReducers {
        a
        combineReducers { b }
      }
      c
    }
    #expect(sample.outcome(of: nested) == flat)
  }

  private func effects(
    of reducer: Reducer<Counter>, _ intent: any Intent = CounterIntent.write(1)
  ) -> [CounterEffect]? {
    var counter = Counter()
    return reducer(&counter, intent) as? [CounterEffect]
  }

  /// A reducer that records its number for any intent.
  private func says(_ number: Int) -> Reducer<Counter> {
    { _, _ in [CounterEffect.wrote(number)] }
  }

  @Test("lines are reducers of the whole in all their forms")
  func forms() {
    let reducer: Reducer<Counter> = combineReducers {
      WithKeyTests.erasedCounter
      counter
      WithKeyTests.typedEffects
      reduce { (_: inout Counter, _: CounterIntent) in [CounterEffect.wrote(2)] }
    }
    #expect(effects(of: reducer) == [.wrote(1), .wrote(1), .wrote(1), .wrote(2)])
    #expect(effects(of: reducer, TodoIntent.toggle) == [])
  }

  @Test("an if, a switch and a for say which lines there are", arguments: [0, 1, 2])
  func conditions(number: Int) {
    let reducer: Reducer<Counter> = combineReducers {
      if number > 0 { says(10) }
      if number == 1 {
        says(20)
      } else if number == 2 {
        says(21)
        says(22)
      } else {
        says(23)
      }
      switch number {
      case 0: says(30)
      case 1: says(31)
      default: says(32)
      }
      for round in 0..<number {
        says(40 + round)
        says(50 + round)
      }
    }
    let expected = [
      [23, 30], [10, 20, 31, 40, 50], [10, 21, 22, 32, 40, 50, 41, 51],
    ]
    #expect(effects(of: reducer) == expected[number].map { .wrote($0) })
  }

  @Test("a block runs once, when reducers are combined")
  func once() {
    let runs = Shared(0)
    func counted() -> Reducer<Counter> {
      runs.change { $0 += 1 }
      return says(1)
    }
    let reducer: Reducer<Counter> = combineReducers { counted() }
    _ = effects(of: reducer)
    _ = effects(of: reducer)
    #expect(runs.value == 1)
  }

  @Test("reducers of disjoint parts may be combined in either order", arguments: 0..<200)
  func independence(seed: Int) {
    struct Pair: Equatable { var left = [0], right = [0] }
    var sample = Sample(seed: seed)
    let left: Reducer<Pair> = withKey(\.left, use: sample.reducer())
    let right: Reducer<Pair> = withKey(\.right, use: sample.reducer())
    var (one, other) = (Pair(), Pair())
    for intent in sample.intents {
      let first = combineReducers(left, right)(&one, intent).map { "\($0)" }
      let second = combineReducers(right, left)(&other, intent).map { "\($0)" }
      #expect(first.sorted() == second.sorted())
    }
    #expect(one == other)
  }

  @Test("each sees what those before it changed, and effects come in their order")
  func order() {
    let reducer: Reducer<Int> = combineReducers(
      { state, _ in
        state += 1; return [CounterEffect.wrote(state)]
      },
      { _, _ in [] },
      { state, _ in
        state *= 10; return [CounterEffect.wrote(state)]
      })
    var state = 1
    let effects = reducer(&state, CounterIntent.ignore)
    #expect(effects as? [CounterEffect] == [.wrote(2), .wrote(20)])
  }
}

/// Reducers of lists of numbers, and intents for them, made from a seed.
struct RandomReducers {
  private var random: Xorshift
  private(set) var intents: [CounterIntent] = []

  init(seed: Int) {
    random = Xorshift(seed: UInt64(seed))
    for _ in 0..<5 { intents.append(.add(random.next(below: 100))) }
  }

  mutating func reducer() -> Reducer<[Int]> {
    let (factor, remainder) = (1 + random.next(below: 8), random.next(below: 3))
    return { state, intent in
      guard case CounterIntent.add(let number) = intent else { return [] }
      state.append(((state.last ?? 0) * factor + number) % 1_000_003)
      return number % 3 == remainder ? [CounterEffect.wrote(state.count * factor)] : []
    }
  }

  func outcome(of reducer: Reducer<[Int]>) -> [String] {
    var state = [1]
    let effects = intents.flatMap { reducer(&state, $0) }
    return state.map(String.init) + effects.map { "\($0)" }
  }
}
