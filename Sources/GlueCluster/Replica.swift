import Foundation
import Glue

/// Everything that the tasks of a ``SharedStore`` use.
///
/// It doesn't hold the ``SharedStore``, whose deinit ends the tasks.
struct Replica<State: Codable & Sendable, Local: Sendable>: Sendable {
  let label: String
  let log: any Log
  let store: Store<Replicated<State, Local>>
  let initial: State
  let sender: Sender
  let program: Program<State>
  let snapshotEvery: Int
  let lease: Duration
  let rehearses: Bool
  let marker: ReductionMarker?
  let timing: Timing
  let report: @Sendable (SharedStoreEvent) -> Void
  let duties: Duties
  let comparisons = Comparisons<State>()
  let snapshots = NewestJob()
}

/// An entry of the log.
///
/// Only the tasks dispatch this type and those below, which are internal.
struct FromLog: Intent {
  let position: LogPosition
  let digest: UInt64

  /// Nil if no version of this module made the entry.
  let header: Entry.Header?
  let intents: [any Intent]
  let end: LogPosition

  /// When it was read, unless the replica was still catching up.
  let heard: Date?
}

struct Restored<State: Sendable>: Intent {
  let state: State
  let table: ReplicatedTable
}

struct LinkChanged: Intent {
  let link: LogLink
}

/// Says why the engine takes no entries; nil: it does.
struct AppendFailed: Intent {
  let reason: String?
}

/// Says why this replica can't do an owed effect, or can't send its result; nil: it can.
struct OwedFailing: Intent {
  let id: OwedID
  let failure: OwedFailure?
}

func replicatedReducer<State, Local>(
  _ program: Program<State>, _ local: @escaping Reducer<Local>
) -> Reducer<Replicated<State, Local>> {
  { replicated, intent in
    switch intent {
    case let intent as FromLog:
      replicated.table.digest = intent.digest
      replicated.end = max(intent.end, intent.position)
      guard let header = intent.header else {
        replicated.table.pass(intent.position)
        return []
      }
      if let heard = intent.heard { replicated.heard[header.replica] = heard }
      let effects = replicated.reduce(header, intent.intents, at: intent.position, by: program)
      if !replicated.failing.isEmpty {
        if case .done(let id, _) = header.act, replicated.table.indexOfOwed(id) == nil {
          replicated.failing[id] = nil
        }
        if replicated.table.owner.sender != program.me { replicated.failing = [:] }
      }
      return effects
    case let intent as Restored<State>:
      replicated.state = intent.state
      replicated.table = intent.table
      replicated.end = intent.table.position
      replicated.failing = [:]
    case let intent as OwedFailing:
      let table = replicated.table
      let isOwed = table.owner.sender == program.me && table.indexOfOwed(intent.id) != nil
      replicated.failing[intent.id] = isOwed ? intent.failure : nil
    case let intent as AppendFailed:
      replicated.appendFailure = intent.reason
    case let intent as LinkChanged:
      replicated.link = intent.link
    default:
      return local(&replicated.local, intent)
    }
    return []
  }
}
