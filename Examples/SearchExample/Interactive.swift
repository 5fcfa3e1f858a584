import Glue
import GlueConsole

/// Searches on a terminal as the user types: on one thread it reads keys, and the store delivers.
final class Interactive: TerminalUser {
  let terminal: Terminal
  private let store: Store<SearchState>
  private var drawing: Subscription?

  init(directory: Path, _ inspection: Inspection?) throws(SystemError) {
    terminal = try Terminal()
    store = Store(
      state: SearchState(directory: directory), reducer: searchReducer,
      monitors: inspection.map { [$0.inspector] } ?? [],
      delivery: .custom { [terminal] in terminal.post($0) })
    store.add(effectHandler: SearchHandler())
    store.add(effectHandler: OpenHandler(terminal: terminal))
  }

  /// Draws everything, because a new subscriber gets the current state; then draws the differences.
  func show() {
    store.dispatch(SearchIntent.resize(terminal.size))
    terminal.output.write(FullScreen.enter)
    var drawn: [Row] = []
    drawing = store.subscribe(selector: Screen.init) { [terminal] screen in
      terminal.output.write(FullScreen.draw(screen.rows, cursor: screen.cursor, over: drawn))
      drawn = screen.rows
    }
  }

  func hide() {
    drawing = nil
    terminal.output.write(FullScreen.leave)
  }

  func press(_ key: Key) -> Bool {
    if let intent = SearchIntent(key) { store.dispatch(intent) }
    return key != .control("C")
  }
}
