import Glue
import GlueConsole

/// A feature as a program on a terminal: its store, how it looks, and what its keys mean.
struct Study: Sendable {
  let name: String

  /// The lesson, in a few words.
  let title: String

  /// The help for its keys.
  let keys: String

  /// Begins it; it shows its state by the closure, as lines, at once and after each change.
  let open: @Sendable (_ show: @escaping @Sendable ([String]) -> Void) -> OpenStudy

  init<State: Sendable>(
    _ name: String, _ title: String, keys: String,
    store makeStore: @escaping @Sendable () -> Store<State>,
    draw: @escaping @Sendable (State) -> [String],
    press: @escaping @Sendable (Key, State) -> (any Intent)?
  ) {
    (self.name, self.title, self.keys) = (name, title, keys)
    open = { show in
      let store = makeStore()
      let drawing = store.subscribe(selector: draw, handler: show)
      return OpenStudy(
        press: { key in
          guard let intent = press(key, store.state) else { return false }
          store.dispatch(intent)
          return true
        },
        run: { console in
          let end = await console.run(store)
          drawing.cancel()
          return end
        })
    }
  }
}

/// A study that runs: when it is released, so is its store, which cancels its effects.
struct OpenStudy: Sendable {
  /// Returns false for a key that means nothing.
  let press: @Sendable (Key) -> Bool

  /// Waits for the end of the program, and ends the study.
  let run: @Sendable (Console) async -> Console.End
}
