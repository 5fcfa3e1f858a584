import Glue
import GlueTesting
import Testing

@Suite("withKey, of a part with an id")
struct WithKeyOfIDTests {
  struct Pair: Sendable {
    var left = Counter()
    var right = Counter() { didSet { writes += 1 } }
    var spare: Counter?
    var writes = 0
  }

  enum Side { case left, right, spare }

  static let forms: [Reducer<Pair>] = [
    combineReducers {
      withKey(\.left, id: Side.left, use: WithKeyTests.erasedCounter)
      withKey(\.right, id: Side.right, use: WithKeyTests.erasedCounter)
      withKey(\.spare, id: Side.spare, use: WithKeyTests.erasedCounter)
    },
    combineReducers {
      withKey(\.left, id: Side.left, use: counter)
      withKey(\.right, id: Side.right, use: counter)
      withKey(\.spare, id: Side.spare, use: counter)
    },
    combineReducers {
      withKey(\.left, id: Side.left, use: WithKeyTests.typedEffects)
      withKey(\.right, id: Side.right, use: WithKeyTests.typedEffects)
      withKey(\.spare, id: Side.spare, use: WithKeyTests.typedEffects)
    },
  ]

  private func write(_ number: Int, to id: some Hashable & Sendable) -> any Intent {
    ElementIntent(id: id, intent: CounterIntent.write(number))
  }

  @Test("one feature is used twice: each has the intents of its id alone", arguments: forms.indices)
  func twice(form: Int) {
    var pair = Pair()
    let reducer = Self.forms[form]
    #expect(
      reducer(&pair, write(1, to: Side.left)) == [CounterEffect.wrote(1).inside(Side.left)])
    #expect(pair.writes == 0)
    #expect(
      reducer(&pair, write(2, to: Side.right)) == [CounterEffect.wrote(2).inside(Side.right)])
    #expect(pair.left.value == 1)
    #expect(pair.right.value == 2)
    #expect(pair.writes == 1)
  }

  @Test("an optional part has the intents of its id while there is one", arguments: forms.indices)
  func optional(form: Int) {
    var pair = Pair()
    let reducer = Self.forms[form]
    #expect(reducer(&pair, write(1, to: Side.spare)).isEmpty)
    #expect(pair.spare == nil)
    pair.spare = Counter()
    #expect(reducer(&pair, write(1, to: Side.spare)).count == 1)
    #expect(pair.spare?.value == 1)
  }

  @Test(
    "an unaddressed intent, or with another type of id, changes nothing", arguments: forms.indices)
  func others(form: Int) {
    var pair = Pair()
    for intent in [CounterIntent.write(1), write(1, to: "left"), write(1, to: 0)] {
      #expect(Self.forms[form](&pair, intent).isEmpty)
    }
    #expect(pair.left.value == 0)
    #expect(pair.writes == 0)
  }

  @Test("two histories do not move together, and an address may be within an address")
  func histories() {
    struct Desk: Sendable { var left = History(Counter()), right = History(Counter()) }
    struct Room: Sendable { var desks = [1: Desk(), 2: Desk()] }
    let desk: Reducer<Desk> = combineReducers {
      withKey(\.left, id: Side.left, use: undoable(counter, limit: 10))
      withKey(\.right, id: Side.right, use: undoable(counter, limit: 10))
    }
    let store = Store(state: Room(), reducer: forEach(\.desks, use: desk))
    func send(_ intent: any Intent, to side: Side, of desk: Int) {
      store.dispatch(ElementIntent(id: desk, intent: ElementIntent(id: side, intent: intent)))
    }
    for side in [Side.left, .right] { send(CounterIntent.write(7), to: side, of: 2) }
    send(HistoryIntent.undo, to: .right, of: 2)

    #expect(store.state.desks[2]?.left.present.value == 7)
    #expect(store.state.desks[2]?.right.present.value == 0)
    #expect(store.state.desks[2]?.right.redoCount == 1)
    #expect(store.state.desks[1]?.left.undoCount == 0)
  }
}
