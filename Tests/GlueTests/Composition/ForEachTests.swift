import Glue
import GlueTesting
import Testing

@Suite("forEach")
struct ForEachTests {
  struct Row: Sendable, Identifiable {
    var id: Int
    var counter = Counter()
    var numbers = [Int](repeating: 0, count: 1000)
  }

  struct Table: Sendable {
    var byName: [String: Counter] = ["a": Counter(value: 1), "b": Counter(value: 2)]
    var rows = [Row(id: 10), Row(id: 20), Row(id: 10)]
  }

  static let dictionaries: [Reducer<Table>] = [
    forEach(\.byName, use: WithKeyTests.erasedCounter), forEach(\.byName, use: counter),
    forEach(\.byName, use: WithKeyTests.typedEffects),
  ]

  static let row: Reducer<Row> = withKey(\.counter, use: counter)

  static let arrays: [Reducer<Table>] = [
    forEach(\.rows, use: row),
    forEach(
      \.rows,
      use: { (row: inout Row, intent: CounterIntent) -> [any Effect] in
        counter(state: &row.counter, intent: intent)
      }),
    forEach(
      \.rows,
      use: { (row: inout Row, intent: CounterIntent) -> [CounterEffect] in
        WithKeyTests.typedEffects(state: &row.counter, intent: intent)
      }),
  ]

  @Test("a dictionary's element is addressed by its key", arguments: dictionaries.indices)
  func dictionary(form: Int) {
    var table = Table()
    let intent = ElementIntent(id: "b", intent: CounterIntent.write(7))
    let effects = Self.dictionaries[form](&table, intent)
    #expect(effects == [CounterEffect.wrote(7).inside("b")])
    #expect(table.byName.mapValues(\.value) == ["a": 1, "b": 7])
  }

  @Test(
    "an array's element is addressed by its id; of two with one id, the first",
    arguments: arrays.indices)
  func array(form: Int) {
    var table = Table()
    let intent = ElementIntent(id: 10, intent: CounterIntent.write(7))
    let effects = Self.arrays[form](&table, intent)
    #expect(effects == [CounterEffect.wrote(7).inside(10)])
    #expect(table.rows.map(\.counter.value) == [7, 0, 0])
  }

  @Test("for an element that is gone nothing changes and there are no effects")
  func goneElement() {
    var table = Table()
    let all = Self.dictionaries + Self.arrays
    for reducer in all {
      #expect(reducer(&table, ElementIntent(id: "c", intent: CounterIntent.write(7))).isEmpty)
      #expect(reducer(&table, ElementIntent(id: 30, intent: CounterIntent.write(7))).isEmpty)
    }
    #expect(table.byName.mapValues(\.value) == ["a": 1, "b": 2])
    #expect(table.rows.map(\.counter.value) == [0, 0, 0])
  }

  @Test("intents that are not addressed, or by another type of id, change nothing")
  func otherIntents() {
    var table = Table()
    for reducer in Self.dictionaries + Self.arrays {
      #expect(reducer(&table, CounterIntent.write(7)).isEmpty)
      #expect(reducer(&table, ElementIntent(id: 1.5, intent: CounterIntent.write(7))).isEmpty)
    }
    #expect(table.byName.mapValues(\.value) == ["a": 1, "b": 2])
  }

  /// Says how often its properties were written.
  struct Watched: Sendable {
    var writes = 0
    var byName: [String: Counter] = ["a": Counter()] { didSet { writes += 1 } }
    var rows = [Row(id: 1)] { didSet { writes += 1 } }

    private var hidden = ["a": Row(id: 1)]
    var computed: [String: Row] {
      get { Dictionary(uniqueKeysWithValues: hidden.map { ($0.key, $0.value) }) }
      set {
        hidden = newValue
        writes += 1
      }
    }
    var computedRows: [Row] {
      get { Array(hidden.values) }
      set {
        hidden = ["a": newValue[0]]
        writes += 1
      }
    }
  }

  static let watched: [(reducer: Reducer<Watched>, element: any Intent)] = [
    (forEach(\.byName, use: WithKeyTests.erasedCounter), address("a")),
    (forEach(\.byName, use: counter), address("a")),
    (forEach(\.byName, use: WithKeyTests.typedEffects), address("a")),
    (forEach(\.rows, use: row), address(1)),
    (forEach(\.computed, use: row), address("a")),
    (forEach(\.computedRows, use: row), address(1)),
  ]

  private static func address(
    _ id: some Hashable & Sendable, _ intent: any Intent = CounterIntent.write(7)
  ) -> any Intent { ElementIntent(id: id, intent: intent) }

  @Test(
    "a collection is written once for an element, and not at all if it is missing",
    arguments: watched.indices)
  func writes(index: Int) {
    let (reducer, element) = Self.watched[index]
    var state = Watched()
    for intent in [Self.address("c"), Self.address(3), Self.address(1.5), CounterIntent.write(7)] {
      #expect(reducer(&state, intent).isEmpty)
    }
    #expect(state.writes == 0)
    let effects = reducer(&state, element).map { ($0 as? PartEffect)?.effect }
    #expect(effects as? [CounterEffect] == [.wrote(7)])
    #expect(state.writes == 1)
  }

  @Test("a collection is not written for an intent that the typed reducer of its elements ignores")
  func ignoredIntents() {
    let reducer: Reducer<Watched> = combineReducers {
      forEach(\.byName, use: counter)
      forEach(\.byName, use: WithKeyTests.typedEffects)
      forEach(\.rows) { (_: inout Row, _: CounterIntent) in [] }
      forEach(\.rows) { (_: inout Row, _: CounterIntent) in [CounterEffect.wrote(0)] }
    }
    var state = Watched()
    #expect(reducer(&state, Self.address("a", TodoIntent.toggle)).isEmpty)
    #expect(reducer(&state, Self.address(1, TodoIntent.toggle)).isEmpty)
    #expect(state.writes == 0)
  }

  @Test("two intents of elements are equal if their ids and their Equatable intents are")
  func equality() {
    struct Opaque: Intent {}
    let intent = ElementIntent(id: 1, intent: CounterIntent.add(1))
    #expect(intent == ElementIntent(id: 1, intent: CounterIntent.add(1)))
    #expect(intent != ElementIntent(id: 2, intent: CounterIntent.add(1)))
    #expect(intent != ElementIntent(id: 1, intent: CounterIntent.add(2)))
    #expect(intent != ElementIntent(id: 1, intent: TodoIntent.toggle))
    #expect(ElementIntent(id: 1, intent: Opaque()) != ElementIntent(id: 1, intent: Opaque()))
    #expect(ElementIntent(id: 0, intent: intent) == ElementIntent(id: 0, intent: intent))
  }

  @Test("elements are changed in place, in dictionaries and in arrays")
  func inPlace() {
    struct Tables: Sendable {
      var byName = ["a": Row(id: 1)]
      var rows = [Row(id: 1)]
    }
    let buffers = Transcript<UInt>()
    let change: Reducer<Row> = { row, _ in
      row.numbers[1] += 1
      buffers.write(row.numbers.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
      return []
    }
    let store = Store(
      state: Tables(),
      reducer: combineReducers(forEach(\.byName, use: change), forEach(\.rows, use: change)))

    for _ in 0..<5 {
      store.dispatch(ElementIntent(id: "a", intent: CounterIntent.ignore))
      store.dispatch(ElementIntent(id: 1, intent: CounterIntent.ignore))
    }

    #expect(buffers.lines.count == 10)
    #expect(Set(buffers.lines).count == 2)
  }
}
