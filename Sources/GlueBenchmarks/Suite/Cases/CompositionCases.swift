import Glue

private struct Node<Child: Sendable>: Sendable {
  var child: Child
  var sibling = Counter()
}

private typealias One = Node<Counter>
private typealias Three = Node<Node<One>>
private typealias Five = Node<Node<Three>>

private func one() -> One { Node(child: Counter()) }
private func three() -> Three { Node(child: Node(child: one())) }
private func five() -> Five { Node(child: Node(child: three())) }

/// The reducer of a sibling, which does not know the sent intents.
@inline(never)
private func stranger(state: inout Counter, intent: any Intent) -> [any Effect] { [] }

/// Combines the reducers of a node's parts.
private func node<Child: Sendable>(
  _ child: any WritableKeyPath<Node<Child>, Child> & Sendable,
  _ sibling: any WritableKeyPath<Node<Child>, Counter> & Sendable,
  use reducer: @escaping Reducer<Child>
) -> Reducer<Node<Child>> {
  combineReducers(withKey(child, use: reducer), withKey(sibling, use: stranger))
}

/// Reducers combined by key, two at each depth.
func combinedGroup() -> Group {
  let depth1: Reducer<One> = node(\.child, \.sibling, use: counter)
  let depth3: Reducer<Three> = node(
    \.child, \.sibling, use: node(\.child, \.sibling, use: depth1))
  let depth5: Reducer<Five> = node(
    \.child, \.sibling, use: node(\.child, \.sibling, use: depth3))
  return Group(
    name: "combined",
    subjects: [
      counterFloor(intent: .add(1)),
      Subject(name: "depth 1") {
        let store = Store(state: one(), reducer: depth1)
        return Work(
          run: { count in for _ in 0..<count { store.dispatch(CounterIntent.add(1)) } },
          isDone: { total in store.state.child.value == total })
      },
      Subject(name: "depth 5") {
        let store = Store(state: five(), reducer: depth5)
        return Work(
          run: { count in for _ in 0..<count { store.dispatch(CounterIntent.add(1)) } },
          isDone: { total in store.state.child.child.child.child.child.value == total })
      },
      Subject(name: "5 typed parts") {
        let store = Store(state: one(), reducer: typedParts)
        return Work(
          run: { count in for _ in 0..<count { store.dispatch(CounterIntent.add(1)) } },
          isDone: { total in store.state.child.value == total })
      },
    ] + [1, 10, 100].map(lifted))
}

private struct OtherIntent<Other: Sendable>: Intent {}

private func ignoring<Other: Sendable>(
  _ other: Other.Type
) -> @Sendable (inout Counter, OtherIntent<Other>) -> [any Effect] {
  { _, _ in [] }
}

/// Typed reducers of which only the last one knows the sent intents.
private let typedParts: Reducer<One> = combineReducers {
  withKey(\.sibling, use: ignoring(Int.self))
  withKey(\.sibling, use: ignoring(Int8.self))
  withKey(\.sibling, use: ignoring(Int16.self))
  withKey(\.sibling, use: ignoring(Int32.self))
  withKey(\.child, use: typedCounter)
}

/// A reducer that is lifted a number of times, and combined with nothing.
private func lifted(_ depth: Int) -> Subject {
  Subject(name: "lifted \(depth) times") {
    let reducer = (0..<depth).reduce(counter as Reducer<Counter>) { reducer, _ in
      withKey(\.self, use: reducer)
    }
    return .dispatching(.add(1), to: Store(state: Counter(), reducer: reducer))
  }
}

private struct Item: Sendable, Identifiable {
  let id: Int
  var counter = Counter()
}

private struct Catalog: Sendable {
  var array = (0..<10_000).map { Item(id: $0) }
  var dictionary = Dictionary(uniqueKeysWithValues: (0..<10_000).map { ($0, Item(id: $0)) })
}

@inline(never)
private func item(state: inout Item, intent: any Intent) -> [any Effect] {
  counter(state: &state.counter, intent: intent)
}

/// An element in the middle of 10,000.
func forEachGroup() -> Group {
  Group(
    name: "forEach",
    subjects: [
      counterFloor(intent: .add(1)),
      Subject(name: "in a dictionary of 10000") {
        element(of: Store(state: Catalog(), reducer: forEach(\.dictionary, use: item))) {
          $0.dictionary[5000]?.counter.value
        }
      },
      Subject(name: "in a dictionary of 10000, with an effect") {
        let store = Store(state: Catalog(), reducer: forEach(\.dictionary, use: item))
        let tally = CallCount()
        store.on(CounterEffect.self) { _, _ in tally.add() }
        return Work(
          run: { count in
            for _ in 0..<count {
              store.dispatch(ElementIntent(id: 5000, intent: CounterIntent.announce(1)))
            }
          },
          isDone: { total in tally.count == total })
      },
      Subject(name: "in an array of 10000") {
        element(of: Store(state: Catalog(), reducer: forEach(\.array, use: item))) {
          $0.array[5000].counter.value
        }
      },
    ])
}

private func element(
  of store: Store<Catalog>, value: @escaping (Catalog) -> Int?
) -> Work {
  Work(
    run: { count in
      for _ in 0..<count {
        store.dispatch(ElementIntent(id: 5000, intent: CounterIntent.add(1)))
      }
    },
    isDone: { total in value(store.state) == total })
}
