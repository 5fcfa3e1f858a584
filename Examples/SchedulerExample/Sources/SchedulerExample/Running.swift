import Foundation
import Glue
import GlueJournal
import GlueProcesses
import Synchronization

/// The date, which continues as a clock does, until an intent corrects it.
final class Dates: Sendable {
  private let base: Date
  private let elapsed: @Sendable () -> Duration
  private let correction = Mutex(Duration.zero)

  init(_ clock: some Clock<Duration>, from base: Date = .now) {
    let start = clock.now
    self.base = base
    elapsed = { start.duration(to: clock.now) }
  }

  var now: Date { base + (elapsed() + correction.withLock { $0 }) / .seconds(1) }

  func jump(by span: Duration) { correction.withLock { $0 += span } }
}

/// Work that lasts: a run of a job, the wait for the next date, and a look at the system's clock.
enum ScheduleEffect: Effect, Equatable {
  case run(Int, Definition)
  case wait(until: Date, jumps: Int)
  case watchClock
}

@Sendable
func running(_ schedule: Schedule) -> [LastingEffect] {
  var (dates, runs): ([Date], [LastingEffect]) = ([], [])
  for (name, job) in schedule.jobs.sorted(by: { $0.key < $1.key }) {
    if let next = job.next { dates.append(next) }
    switch job.run?.phase {
    case .retrying(let date): dates.append(date)
    case .running(let definition):
      runs.append(ScheduleEffect.run(job.run?.id ?? 0, definition).lasting(id: name))
    case .waiting, nil: break
    }
  }
  let wait = dates.min().map {
    [ScheduleEffect.wait(until: $0, jumps: schedule.jumps).lasting(id: Wait.date)]
  }
  return [ScheduleEffect.watchClock.lasting(id: Wait.clock)] + (wait ?? []) + runs
}

private enum Wait { case date, clock }

/// The outside world of a schedule, which a test and a simulation replace.
struct Surroundings: Sendable {
  let clock: any Clock<Duration>
  let dates: Dates

  /// The system's date, which an administrator can set.
  let systemDate: @Sendable () -> Date

  /// Reads the definitions.
  let load: @Sendable () throws -> Definitions

  /// Runs a try of a run of a job.
  let run: @Sendable (Int, Definition) async throws -> ChildProcess.Ending

  /// Gets a line for an operator.
  var report: @Sendable (String) -> Void = { _ in }

  fileprivate func addHandlers(to handlers: EffectHandlers) {
    handlers.on(Jump.self) { [dates] jump, _ in dates.jump(by: jump.span) }
    handlers.on(Load.self) { [self] _, dispatch in
      do { dispatch(ScheduleIntent.loaded(try load(), at: dates.now)) } catch { report("\(error)") }
    }
    handlers.on(ScheduleEffect.self) { [self] effect, dispatch async in
      switch effect {
      case .run(let id, let definition):
        var (end, failure): (ChildProcess.Ending?, String?)
        do { end = try await run(id, definition) } catch { failure = "\(error)" }
        let outcome = Outcome(run: id, at: dates.now, end: end, failure: failure)
        dispatch(ScheduleIntent.ended(definition.name, outcome))
      case .wait(let date, _):
        let span = Duration.seconds(date.timeIntervalSince(dates.now))
        if (try? await clock.sleep(for: span)) == nil { return }
        dispatch(ScheduleIntent.due(at: max(date, dates.now)))
      case .watchClock:
        while (try? await clock.sleep(for: .seconds(60))) != nil {
          let span = Duration.seconds(systemDate().timeIntervalSince(dates.now))
          if abs(span / .seconds(1)) > 1 { dispatch(ScheduleIntent.jumped(by: span)) }
        }
      }
    }
  }
}

/// A store of a schedule, and its journal.
struct Scheduler: Sendable {
  let store: Store<Schedule>
  let journal: Journal<Schedule>

  /// Continues where the journal in a directory ends, with the definitions of today.
  ///
  /// - Throws: the error of the definitions or the journal.
  init(
    in directory: String, on disk: Disk = .system, _ surroundings: Surroundings,
    delivery: Delivery = .immediate, monitors: [any Monitor<Schedule>] = []
  ) throws {
    let definitions = try surroundings.load()
    journal = try Journal(
      at: directory + "/journal", on: disk, format, waiting: .seconds(10),
      report: surroundings.report)
    store = try Store(
      state: Schedule(), reducer: schedule, monitors: monitors, lasting: running,
      delivery: delivery, clock: surroundings.clock, journal: journal,
      first: [ScheduleIntent.loaded(definitions, at: surroundings.dates.now)],
      handlers: { handlers in surroundings.addHandlers(to: handlers) })
  }

  /// Runs a job on demand, and returns when that is safe on the disk.
  func start(_ name: String) async throws {
    // `perform` would wait until the run has ended.
    store.dispatch(ScheduleIntent.start(name))
    try await journal.synced()
  }
}
