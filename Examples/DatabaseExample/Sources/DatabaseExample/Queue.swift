import Foundation
import Glue
import GlueJournal

/// A run of work, whose result goes into the history.
struct Run: Codable, Equatable, Sendable {
  /// Unique also among the runs of other journals, so that the history recognizes one that it has.
  let id: UUID
  let text: String
}

/// The runs whose results the history may not have.
struct Queue: Codable, Equatable, Sendable {
  var runs: [Run] = []
}

enum QueueIntent: Intent, Codable, Equatable { case add(Run), recorded(UUID) }

/// Shows that a run is safe, because effects begin once the commit is on the disk.
struct Accept: Effect, Equatable { var run: Run }

/// Writes a run into the history.
struct Record: Effect, Codable, Equatable { var run: Run }

@Sendable
func queue(state: inout Queue, intent: QueueIntent) -> [any Effect] {
  switch intent {
  case .add(let run):
    state.runs.append(run)
    return [Accept(run: run), Record(run: run)]
  case .recorded(let id):
    state.runs.removeAll { $0.id == id }
    return []
  }
}

let format = JournalFormat(
  of: Queue.self, intents: [.named("queue", QueueIntent.self)],
  effects: [.atMostOnce(Accept.self), .atLeastOnce("record", Record.self)])

/// Records runs, and tries again until the history takes them.
struct Recording: AsyncEffectHandler {
  let clock: any Clock<Duration>
  var report: @Sendable (String) -> Void = { _ in }
  let insert: @Sendable (Run) async throws -> Void

  func handle(effect: Record, dispatch: @escaping DispatchFunc) async {
    let backoff = Backoff(from: .milliseconds(100), limit: .seconds(60))
    for attempt in 0... {
      do {
        try await insert(effect.run)
        return dispatch(QueueIntent.recorded(effect.run.id))
      } catch { report("\(effect.run.text) is not recorded: \(error)") }
      if (try? await clock.sleep(for: backoff.delay(attempt))) == nil { return }
    }
  }
}

/// Makes a store of the queue in a directory, which records its runs.
///
/// - Throws: the error of the journal.
func makeStore(
  in directory: String, _ recording: Recording, accept: @escaping @Sendable (Run) -> Void = { _ in }
) throws -> Store<Queue> {
  let journal = try Journal(
    at: directory + "/queue", format, waiting: .seconds(10), report: recording.report)
  return try Store(
    state: Queue(), reducer: queue, clock: recording.clock, journal: journal,
    handlers: { handlers in
      handlers.on(Accept.self) { effect, _ in accept(effect.run) }
      handlers.add(effectHandler: recording)
    })
}
