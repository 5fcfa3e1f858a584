import Dispatch
import Foundation
import Glue
import GlueJournal

/// A journal whose state is large.
func growthOfStates() -> [Subject] {
  [
    growing("an end that records a state, by kilobytes", .linear, from: 300, prepare: ended),
    growing("an opening that reads a state, by kilobytes", .linear, from: 300, prepare: opened),
    growing("1000 commits, beside a state's kilobytes", .constant, from: 300, prepare: committed),
  ].flatMap(\.self)
}

/// The same operations, in time.
func largeStateSubjects() -> [Subject] {
  [
    Subject(name: "ended, 10 MB", floor: nil, count: 1) { repeated(10_000, ended) },
    Subject(name: "opened, 10 MB", floor: nil, count: 1) { repeated(10_000, opened) },
  ]
}

private struct Entry: Codable, Sendable {
  var id: Int
  var title: String
  var text: String
  var isDone = false
}

/// A state of a number of kilobytes, as it is encoded, in parts of ten.
private struct Archive: Codable, Sendable {
  var count = 0
  var shelves: [[Entry]]

  init(kilobytes: Int) {
    shelves = (0..<max(1, kilobytes / 10)).map { shelf in
      (0..<84).map { index in
        Entry(
          id: shelf * 84 + index, title: "an entry with a number",
          text: "a text that is long enough to need memory of its own, \(index)")
      }
    }
  }
}

private enum ArchiveIntent: Intent, Codable { case mark(shelf: Int, entry: Int) }

private func archive(state: inout Archive, intent: ArchiveIntent) -> [any Effect] {
  switch intent {
  case .mark(let shelf, let entry):
    state.count += 1
    state.shelves[shelf][entry].isDone.toggle()
  }
  return []
}

private let format = JournalFormat(
  of: Archive.self, intents: [.named("archive", ArchiveIntent.self)])

private func store(_ scratch: Scratch, kilobytes: Int) -> Store<Archive> {
  do {
    let journal = try Journal(at: scratch.journal, format, durability: .written)
    return try Store(state: Archive(kilobytes: kilobytes), reducer: archive, journal: journal)
  } catch { fatalError("no journal can be made in \(scratch.path): \(error)") }
}

private func ended(_ kilobytes: Int) -> () -> Bool {
  let scratch = Scratch()
  let store = store(scratch, kilobytes: kilobytes)
  store.dispatch(ArchiveIntent.mark(shelf: 0, entry: 0))
  return {
    runBlocking { await store.shutdown() }
    return withExtendedLifetime(scratch) { store.state.count == 1 }
  }
}

private func opened(_ kilobytes: Int) -> () -> Bool {
  let scratch = Scratch()
  do {
    let store = store(scratch, kilobytes: kilobytes)
    store.dispatch(ArchiveIntent.mark(shelf: 0, entry: 0))
  }
  return { store(scratch, kilobytes: 0).state.count == 1 }
}

private func committed(_ kilobytes: Int) -> () -> Bool {
  let scratch = Scratch()
  let store = store(scratch, kilobytes: kilobytes)
  return {
    for index in 0..<1000 { store.dispatch(ArchiveIntent.mark(shelf: 0, entry: index % 84)) }
    return withExtendedLifetime(scratch) { store.state.count == 1000 }
  }
}

/// Times an operation, each time with its own preparation.
private func repeated(_ size: Int, _ prepare: @escaping (Int) -> () -> Bool) -> Work {
  var (nanoseconds, total) = (0.0, 0)
  return Work(
    run: { count in
      nanoseconds = 0
      for _ in 0..<count {
        let operation = prepare(size)
        let time = ContinuousClock().measure { total += operation() ? 1 : 0 }
        nanoseconds += time / .nanoseconds(1) / Double(count)
      }
    },
    reading: { nanoseconds },
    isDone: { $0 == total })
}
