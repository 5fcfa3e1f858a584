import Glue
import GlueTesting
import Testing

/// Laws, checked on samples that a seed makes; a failure names the seed.
@Suite("combineReducers")
struct CombineReducersTests {
  private typealias Sample = RandomReducers

  @Test("no reducers change nothing and have no effects")
  func none() {
    let reducer: Reducer<[Int]> = combineReducers()
    var state = [1]
    #expect(reducer(&state, CounterIntent.ignore).isEmpty)
    #expect(state == [1])
  }

  @Test("the empty combination is an identity, before and after", arguments: 0..<200)
  func identity(seed: Int) {
    var sample = Sample(seed: seed)
    let reducer = sample.reducer()
    let expected = sample.outcome(of: reducer)
    #expect(sample.outcome(of: combineReducers(combineReducers(), reducer)) == expected)
    #expect(sample.outcome(of: combineReducers(reducer, combineReducers())) == expected)
    #expect(sample.outcome(of: combineReducers(reducer)) == expected)
  }

  @Test("nesting makes no difference", arguments: 0..<200)
  func associativity(seed: Int) {
    var sample = Sample(seed: seed)
    let (a, b, c) = (sample.reducer(), sample.reducer(), sample.reducer())
    let flat = sample.outcome(of: combineReducers(a, b, c))
    #expect(sample.outcome(of: combineReducers(combineReducers(a, b), c)) == flat)
    #expect(sample.outcome(of: combineReducers(a, combineReducers(b, c))) == flat)
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
