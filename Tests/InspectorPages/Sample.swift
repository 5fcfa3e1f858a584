import Glue
import GlueInspector

/// A run whose page writes it as a test: GlueInspectorTests has that test, and compiles it.
struct Shop: Sendable, Equatable {
  var items: [Item] = []
  var filter = Filter.all
  var notes: [String: String] = [:]
  var session: Session?
  var count = 0

  enum Filter: Sendable, Equatable { case all, tagged(String), priced(from: Double, to: Double) }
}

struct Item: Sendable, Equatable, Identifiable {
  let id: Int
  var name: String
  var isOld = false
}

struct Session: Sendable, Equatable { var user = "ada" }

enum ShopIntent: Intent, Equatable {
  case add(Item)
  case show(Shop.Filter)
  case note([String: String])
  case signedIn(Session?)
  case clear
}

/// Describes itself as another intent does, so the page must not copy it as code.
struct Disguise: Intent, CustomStringConvertible {
  var description: String { "ShopIntent.clear; fatalError()\nfatalError()" }
}

enum ShopEffect: Effect, Equatable { case signIn }

func reducer(state: inout Shop, intent: any Intent) -> [any Effect] {
  guard let intent = intent as? ShopIntent else { return [] }
  state.count += 1
  switch intent {
  case .add(let item): state.items.append(item)
  case .show(let filter):
    state.filter = filter
    return filter == .all ? [ShopEffect.signIn] : []
  case .note(let notes): state.notes.merge(notes) { _, new in new }
  case .signedIn(let session): state.session = session
  case .clear: state.items = []
  }
  return []
}

func writeSample(to folder: String) throws {
  let inspector = Inspector<Shop>()
  let store = Store(state: Shop(), reducer: reducer, monitors: [inspector])
  store.on(ShopEffect.self) { _, dispatch in dispatch(ShopIntent.signedIn(Session())) }
  store.dispatch(ShopIntent.add(Item(id: 1, name: "kettle \"blue\" \\(1)")))
  store.dispatch(ShopIntent.show(.tagged("work\n")))
  store.dispatch(ShopIntent.show(.priced(from: -0.5, to: 1e21)))
  store.dispatch(ShopIntent.note(["é": "\u{202E}//", "": "*/"]))
  store.dispatch(Disguise())
  store.dispatch(ShopIntent.show(.all))
  store.dispatch(ShopIntent.clear)
  store.dispatch(ShopIntent.add(Item(id: -2, name: "", isOld: true)))
  try inspector.writePage(to: "\(folder)/sample.html")
}
