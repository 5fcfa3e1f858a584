// Errors and retries: try again after longer and longer waits, with a limit for each attempt.
//
// A handler turns an error into an intent, and the reducer decides what it means: what may pass is
// tried again, three times; what won't pass is shown. The attempt, its limit and the wait before
// it have one id, so any reply, and a cancellation, ends all of them.

import Glue
import GlueConsole

enum Failure: Error, Equatable { case unreachable, tooSlow, refused }

struct Report: Equatable, Sendable {
  enum Status: Equatable { case idle, loading(attempt: Int), loaded(String), failed(Failure) }

  var status = Status.idle
}

enum ReportIntent: Intent, Equatable { case load, cancel, loaded(String), failed(Failure) }

struct LoadReport: Effect, Equatable { var attempt: Int }

let backoff = Backoff(from: .seconds(1), limit: .seconds(10))

func report(state: inout Report, intent: ReportIntent) -> [any Effect] {
  switch (intent, state.status) {
  case (.load, _): return state.load(attempt: 0, after: .zero)
  case (.failed(.unreachable), .loading(let attempt)) where attempt < 3,
    (.failed(.tooSlow), .loading(let attempt)) where attempt < 3:
    return state.load(attempt: attempt + 1, after: backoff.delay(attempt))
  case (.failed(let failure), _): state.status = .failed(failure)
  case (.loaded(let text), _): state.status = .loaded(text)
  case (.cancel, _): state.status = .idle
  }
  return [CancelEffects(id: "load")]
}

extension Report {
  /// Begins an attempt, and its limit of five seconds, in the place of the last ones.
  fileprivate mutating func load(attempt: Int, after delay: Duration) -> [any Effect] {
    status = .loading(attempt: attempt)
    return [
      LoadReport(attempt: attempt).scheduled(.debounce(delay), id: "load"),
      Send(ReportIntent.failed(.tooSlow)).scheduled(.delay(delay + .seconds(5)), id: "load"),
    ]
  }
}

/// A server that is out of reach at first, then too slow, and then does what it is asked.
struct ReportServer: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: LoadReport, dispatch: @escaping DispatchFunc) async {
    do {
      dispatch(ReportIntent.loaded(try await load(attempt: effect.attempt)))
    } catch {
      dispatch(ReportIntent.failed(error as? Failure ?? .refused))
    }
  }

  private func load(attempt: Int) async throws -> String {
    try await clock.sleep(for: attempt == 1 ? .seconds(60) : .milliseconds(500))
    if attempt == 0 { throw Failure.unreachable }
    return "All is well"
  }
}

let retriesStudy = Study(
  "retries", "try again after longer and longer waits, with a limit",
  keys: "l: load   c: cancel",
  store: {
    Store(
      state: Report(), reducer: report,
      handlers: { handlers in
        handlers.add(effectHandler: ReportServer(clock: ContinuousClock()))
      })
  },
  draw: { ["\($0.status)"] },
  press: { key, _ in
    switch key {
    case .text("l"): ReportIntent.load
    case .text("c"): ReportIntent.cancel
    default: nil
    }
  })
