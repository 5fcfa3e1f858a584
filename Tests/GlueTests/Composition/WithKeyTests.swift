import Glue
import Testing

@Suite("withKey")
struct WithKeyTests {
  struct Whole: Sendable {
    var counter = Counter()
    var spare: Counter?
    var numbers = [Int](repeating: 0, count: 1_000_000)
  }

  static func erasedCounter(state: inout Counter, intent: any Intent) -> [any Effect] {
    guard let intent = intent as? CounterIntent else { return [] }
    return counter(state: &state, intent: intent)
  }

  static func typedEffects(state: inout Counter, intent: CounterIntent) -> [CounterEffect] {
    counter(state: &state, intent: intent).compactMap { $0 as? CounterEffect }
  }

  /// A part's reducer in every form, lifted to the whole.
  static let parts: [Reducer<Whole>] = [
    withKey(\.counter, use: erasedCounter), withKey(\.counter, use: counter),
    withKey(\.counter, use: typedEffects),
  ]

  /// The same for a part that may be missing.
  static let optionalParts: [Reducer<Whole>] = [
    withKey(\.spare, use: erasedCounter), withKey(\.spare, use: counter),
    withKey(\.spare, use: typedEffects),
  ]

  @Test("a part's reducer changes that part alone, and its effects pass", arguments: parts.indices)
  func part(form: Int) {
    var whole = Whole()
    let effects = Self.parts[form](&whole, CounterIntent.write(7))
    #expect(effects as? [CounterEffect] == [.wrote(7)])
    #expect(whole.counter.value == 7)
    #expect(whole.spare == nil)
  }

  @Test("an optional part is reduced while there is one", arguments: optionalParts.indices)
  func optionalPart(form: Int) {
    var whole = Whole()
    #expect(Self.optionalParts[form](&whole, CounterIntent.write(7)).isEmpty)
    #expect(whole.spare == nil)

    whole.spare = Counter(value: 1)
    let effects = Self.optionalParts[form](&whole, CounterIntent.write(7))
    #expect(effects as? [CounterEffect] == [.wrote(7)])
    #expect(whole.spare?.value == 7)
  }

  /// Says how often its properties were written.
  struct Watched: Sendable {
    var writes = 0
    var counter = Counter() { didSet { writes += 1 } }
    var spare: Counter? { didSet { writes += 1 } }

    private var hidden: Counter?
    var computed: Counter? {
      get { hidden }
      set {
        hidden = newValue
        writes += 1
      }
    }

    static let full = {
      var full = Watched()
      full.spare = Counter()
      full.computed = Counter()
      full.writes = 0
      return full
    }()
  }

  static let watchedOptionals: [Reducer<Watched>] = [
    withKey(\.spare, use: erasedCounter), withKey(\.spare, use: counter),
    withKey(\.spare, use: typedEffects), withKey(\.computed, use: counter),
  ]

  @Test(
    "an optional part is written once if there is one, else never",
    arguments: watchedOptionals.indices)
  func writesOfOptionals(form: Int) {
    var (none, full) = (Watched(), Watched.full)
    #expect(Self.watchedOptionals[form](&none, CounterIntent.write(7)).isEmpty)
    #expect(none.writes == 0)
    #expect(Self.watchedOptionals[form](&full, CounterIntent.write(7)).count == 1)
    #expect(full.writes == 1)
  }

  @Test("a typed reducer's part is not written for intents of other types")
  func writesOfTypedReducers() {
    let reducer: Reducer<Watched> = combineReducers {
      withKey(\.counter, use: counter)
      withKey(\.counter, use: Self.typedEffects)
      withKey(\.spare, use: counter)
      withKey(\.spare, use: Self.typedEffects)
    }
    var state = Watched.full
    #expect(reducer(&state, TodoIntent.toggle).isEmpty)
    #expect(state.writes == 0)
    #expect(reducer(&state, CounterIntent.write(7)).count == 4)
    #expect(state.writes == 4)
  }

  @Test("a typed reducer of the whole enters by \\.self")
  func wholeByItself() {
    let store = Store(state: Counter(), reducer: withKey(\.self, use: counter))
    store.add(2)
    #expect(store.state.value == 2)
  }

  @Test("a large part is changed in place, through a store, at any depth")
  func inPlace() {
    struct Outer: Sendable { var inner: Whole? = Whole() }
    struct Change: Intent {}
    let buffers = Transcript<UInt>()
    let change: Reducer<[Int]> = { numbers, _ in
      numbers[1] += 1
      buffers.write(numbers.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
      return []
    }
    let whole: Reducer<Whole> = withKey(\.numbers, use: change)
    let store = Store(state: Outer(), reducer: withKey(\.inner, use: whole))

    for _ in 0..<10 { store.dispatch(Change()) }

    #expect(buffers.lines.count == 10)
    #expect(Set(buffers.lines).count == 1)
  }
}
