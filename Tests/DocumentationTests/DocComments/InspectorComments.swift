import Glue
import GlueInspector
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

@Suite("Comments of the inspector")
struct InspectorComments {
  struct AppState: Sendable { var value = 0 }
  enum AppIntent: Intent { case increment }

  private func reducer(state: inout AppState, intent: AppIntent) -> [any Effect] {
    state.value += 1
    return []
  }

  @Test("a page")
  func page() throws {
    let file = TemporaryFile()
    let path = file.path
    let inspector = Inspector<AppState>(limit: 10_000)
    let store = Store(state: AppState(), reducer: reducer, monitors: [inspector])

    store.dispatch(AppIntent.increment)

    try inspector.writePage(to: path)

    #expect(try file.text.contains("AppIntent.increment"))
  }
}
