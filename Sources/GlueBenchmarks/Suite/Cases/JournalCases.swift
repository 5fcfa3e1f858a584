import Foundation
import Glue
import GlueJournal
import Synchronization

/// A store with a journal, beside SQLite's write-ahead log where `python3` is there.
func journalGroup() -> Group {
  let own = [
    Subject(name: "queued, without", floor: nil, count: 20_000) { queued(isJournaled: false) },
    Subject(name: "queued", floor: "queued, without", count: 20_000) { queued(isJournaled: true) },
    Subject(name: "written", floor: nil) { dispatched(.written) { $0 } },
    Subject(name: "written elements", floor: "written") {
      dispatched(.written) { ElementIntent(id: 7, intent: $0) }
    },
    Subject(name: "synced", floor: nil, count: 100) { dispatched(.synced) { $0 } },
    Subject(name: "performed by 1 task", floor: nil, count: 160) { performed(by: 1) },
    Subject(name: "performed by 16 tasks", floor: "performed by 1 task", count: 160) {
      performed(by: 16)
    },
    Subject(name: "recovered", floor: nil, count: 100_000, prepare: recovered),
  ]
  let others = [
    Subject(name: "SQLite, written", floor: nil, count: 5000) { sqlite("NORMAL") },
    Subject(name: "SQLite, synced", floor: nil, count: 100) { sqlite("FULL") },
    Subject(name: "SQLite, read and decoded", floor: nil, count: 100_000, prepare: decodedRows),
  ]
  return Group(
    name: "journal", subjects: own + largeStateSubjects() + (isPythonThere ? others : []))
}

private enum NoteIntent: Intent, Codable {
  case add(id: Int, title: String, isDone: Bool)
}

private struct Notes: Codable, Sendable {
  var count = 0
}

@inline(never)
private func notes(state: inout Notes, intent: any Intent) -> [any Effect] {
  state.count += 1
  return []
}

/// About 60 bytes as JSON.
private let intent = NoteIntent.add(id: 4711, title: "water the plants", isDone: false)

private let format = JournalFormat(
  of: Notes.self,
  intents: [.named("note", NoteIntent.self), .elements("element", id: Int.self)])

/// A directory on a disk, removed with this when its journals are closed.
final class Scratch: Sendable {
  private let journals = Mutex<[Journal<Notes>]>([])
  let path = "/var/tmp/glue-benchmark-\(UUID().uuidString)"
  var journal: String { path + "/journal" }

  init() {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    close()
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Waits until nothing more is written.
  func close() {
    let closed = DispatchSemaphore(value: 0)
    let journals = journals.withLock { journals in
      defer { journals = [] }
      return journals
    }
    Task {
      for journal in journals { try? await journal.close() }
      closed.signal()
    }
    closed.wait()
  }

  fileprivate func store(
    _ durability: Durability, delivery: Delivery = .immediate, keeping: Int = 2
  ) -> Store<Notes> {
    do {
      let journal = try Journal(at: journal, format, durability: durability, keeping: keeping)
      journals.withLock { $0.append(journal) }
      return try Store(state: Notes(), reducer: notes, delivery: delivery, journal: journal)
    } catch { fatalError("no journal can be made in \(path): \(error)") }
  }
}

private func dispatched(
  _ durability: Durability, _ wrap: @escaping (NoteIntent) -> any Intent
) -> Work {
  let scratch = Scratch()
  let store = scratch.store(durability)
  return Work(
    run: { count in for _ in 0..<count { store.dispatch(wrap(intent)) } },
    isDone: { total in withExtendedLifetime(scratch) { store.state.count == total } })
}

/// On a thread that doesn't deliver: the queued records are written when the time is taken.
private func queued(isJournaled: Bool) -> Work {
  let scratch = Scratch()
  let queue = DispatchQueue(label: "glue.benchmark")
  let store =
    isJournaled
    ? scratch.store(.written, delivery: .queue(queue))
    : Store(state: Notes(), reducer: notes, delivery: .queue(queue))
  var nanoseconds = 0.0
  return Work(
    run: { count in
      queue.suspend()
      let time = ContinuousClock().measure { for _ in 0..<count { store.dispatch(intent) } }
      nanoseconds = time / .nanoseconds(1) / Double(count)
      queue.resume()
      queue.sync {}
    },
    reading: { nanoseconds },
    isDone: { total in withExtendedLifetime(scratch) { store.state.count == total } })
}

private func performed(by tasks: Int) -> Work {
  let scratch = Scratch()
  let store = scratch.store(.synced)
  let end = DispatchSemaphore(value: 0)
  return Work(
    run: { count in
      for task in 0..<tasks {
        let share = count / tasks + (task < count % tasks ? 1 : 0)
        Task {
          for _ in 0..<share { await store.perform(intent) }
          end.signal()
        }
      }
      for _ in 0..<tasks { end.wait() }
    },
    isDone: { total in withExtendedLifetime(scratch) { store.state.count == total } })
}

/// Reading what a process has recorded, and replaying it.
private func recovered() -> Work {
  let scratch = Scratch()
  let store = scratch.store(.written, keeping: .max)
  var nanoseconds = 0.0
  var total = 0
  return Work(
    run: { count in
      while store.state.count < count { store.dispatch(intent) }
      let commits = store.state.count
      let start = ContinuousClock.now
      let recording = try? Recording(at: scratch.journal, format)
      let state = try? recording?.state(at: commits, reducer: notes)
      nanoseconds = (.now - start) / .nanoseconds(1) / Double(commits)
      total += state?.count == commits ? count : 0
    },
    reading: { nanoseconds },
    isDone: { count in withExtendedLifetime(scratch) { total == count } })
}

/// Reading the same intents from SQLite, and decoding and reducing them on one thread.
private func decodedRows() -> Work {
  var nanoseconds = 0.0
  var total = 0
  return Work(
    run: { count in
      guard let (rows, reading) = sqliteRows(count) else { return nanoseconds = .infinity }
      let decoder = JSONDecoder()
      var state = Notes()
      let time = ContinuousClock().measure {
        for row in rows {
          guard let intent = try? decoder.decode(NoteIntent.self, from: row) else { return }
          _ = notes(state: &state, intent: intent)
        }
      }
      nanoseconds = reading + time / .nanoseconds(1) / Double(count)
      total += state.count
    },
    reading: { nanoseconds },
    isDone: { count in total == count })
}
