import Glue
import ProcessSupport

/// Does something on another thread, while the calling one waits.
func elsewhere(_ body: @escaping @Sendable () -> Void) {
  onThreads(1) { _ in body() }
}

extension Store<Counter> {
  /// Records the values that arrive on the main actor.
  func tellMainActor(_ transcript: Transcript<Int>) -> Subscription {
    subscribe(selector: \.value) { @MainActor in transcript.write($0) }
  }
}

extension Store<[String]> {
  /// Handles `QuickWork` on the main actor: writes its name down, and notes it.
  func noteOnMainActor(_ transcript: Transcript<String>) {
    on(QuickWork.self) { @MainActor work, dispatch in
      MainActor.assertIsolated()
      transcript.write(work.name)
      dispatch(WorkIntent.note(work.name))
    }
  }
}
