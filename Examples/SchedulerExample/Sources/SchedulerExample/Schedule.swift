import Foundation
import Glue
import GlueJournal
import GlueProcesses

/// The jobs, and what they do now, which the journal keeps.
struct Schedule: Codable, Equatable, Sendable {
  var zone = "UTC"
  var groups: [String: Int] = [:]
  var jobs: [String: Job] = [:]
  var lastRun = 0

  /// How often the system's clock has been set.
  var jumps = 0
}

struct Job: Codable, Equatable, Sendable {
  var definition: Definition

  /// When it is due; nil if it isn't any more.
  var next: Date?

  /// The run that has not ended, during which nothing of the job is due.
  var run: Run?

  /// How the last run ended.
  var last: Outcome?

  /// Whether the file no longer has it, although its run continues.
  var isRemoved = false
}

struct Run: Codable, Equatable, Sendable {
  /// Greater than those of earlier runs.
  let id: Int

  /// How often it was tried before.
  var tries = 0
  var phase = Phase.waiting

  enum Phase: Codable, Equatable, Sendable {
    case waiting, retrying(at: Date)

    /// With the definition as it was at the start, so that a new one doesn't start it again.
    case running(Definition)
  }
}

struct Outcome: Codable, Equatable, Sendable {
  let run: Int
  let at: Date
  var end: ChildProcess.Ending?

  /// Why the command could not be started.
  var failure: String?
}

enum ScheduleIntent: Intent, Codable {
  /// The file of definitions may have changed; it was read.
  case reload
  case loaded(Definitions, at: Date)

  /// Some jobs may be due.
  case due(at: Date)

  /// A user wants a job to run now.
  case start(String)

  /// A try of a run has ended.
  case ended(String, Outcome)

  /// The system's clock was set forward or, by a negative span, back.
  case jumped(by: Duration)
}

/// Reads the file of definitions.
struct Load: Effect, Equatable {}

/// Corrects the program's dates.
struct Jump: Effect, Equatable { var span: Duration }

let format = JournalFormat(
  of: Schedule.self, intents: [.named("schedule", ScheduleIntent.self)],
  effects: [.atMostOnce(Jump.self), .atMostOnce(Load.self)])

let backoff = Backoff(from: .seconds(10), limit: .seconds(3_600))

@Sendable
func schedule(state: inout Schedule, intent: ScheduleIntent) -> [any Effect] {
  var effects: [any Effect] = []
  switch intent {
  case .reload: effects = [Load()]
  case .loaded(let definitions, let now): state.load(definitions, at: now)
  case .due(let now): state.pass(now)
  case .start(let name): state.enqueue(name)
  case .ended(let name, let outcome): state.end(name, outcome)
  case .jumped(let span):
    state.jumps += 1
    effects = [Jump(span: span)]
  }
  state.startNext()
  return effects
}

extension Schedule {
  private var timeZone: TimeZone { TimeZone(identifier: zone) ?? .gmt }

  fileprivate mutating func load(_ definitions: Definitions, at now: Date) {
    let (old, oldZone) = (jobs, zone)
    (zone, groups) = (definitions.zone ?? "UTC", definitions.groups ?? [:])
    jobs = old.filter { $0.value.run != nil }
    for name in jobs.keys {
      jobs[name]?.isRemoved = true
      jobs[name]?.next = nil
    }
    for definition in definitions.jobs {
      var job = old[definition.name] ?? Job(definition: definition)
      let isSame =
        job.definition.every == definition.every && job.definition.cron == definition.cron
      let isMoved = definition.cron != nil && zone != oldZone
      // A date that has passed meanwhile stays: the job is due once.
      if !isSame || isMoved && job.next ?? now > now || job.next == nil {
        job.next = definition.next(after: now, in: timeZone)
      }
      (job.definition, job.isRemoved) = (definition, false)
      jobs[definition.name] = job
    }
  }

  fileprivate mutating func pass(_ now: Date) {
    for (name, job) in jobs.sorted(by: { $0.key < $1.key }) {
      if let next = job.next, next <= now, !job.isRemoved {
        enqueue(name)
        let zone = timeZone
        jobs[name]?.next = job.definition.next(after: now, in: zone)
      }
      if case .retrying(let date)? = job.run?.phase, date <= now {
        jobs[name]?.run?.phase = .waiting
      }
    }
  }

  fileprivate mutating func enqueue(_ name: String) {
    guard let job = jobs[name], job.run == nil, !job.isRemoved else { return }
    lastRun += 1
    jobs[name]?.run = Run(id: lastRun)
  }

  fileprivate mutating func end(_ name: String, _ outcome: Outcome) {
    guard var job = jobs[name], var run = job.run, run.id == outcome.run else { return }
    job.last = outcome
    run.tries += 1
    if outcome.end == .exited(0) || run.tries > job.definition.retries ?? 0 || job.isRemoved {
      job.run = nil
    } else {
      let delay = backoff.delay(run.tries - 1, seed: UInt64(run.id))
      run.phase = .retrying(at: outcome.at + delay / .seconds(1))
      job.run = run
    }
    jobs[name] = job.isRemoved && job.run == nil ? nil : job
  }

  /// Starts the runs that wait, the oldest first, as many as their groups allow.
  fileprivate mutating func startNext() {
    var free = groups
    for job in jobs.values {
      if case .running(let definition)? = job.run?.phase, let group = definition.group {
        free[group, default: 1] -= 1
      }
    }
    let waiting = jobs.filter { $0.value.run?.phase == .waiting }
    for (name, job) in waiting.sorted(by: { $0.value.run?.id ?? 0 < $1.value.run?.id ?? 0 }) {
      if let group = job.definition.group {
        if free[group, default: 1] < 1 { continue }
        free[group, default: 1] -= 1
      }
      jobs[name]?.run?.phase = .running(job.definition)
    }
  }
}
