import Foundation
import Glue
import GlueSimulation

@testable import GlueJournal

/// A state that shows which commits led to it, and in which order.
struct Tally: Codable, Equatable, Sendable {
  private(set) var count = 0
  private var chain: UInt64 = 1

  /// Something whose size a test decides.
  var note = ""

  mutating func add(_ value: Int) {
    count += 1
    chain = (chain ^ UInt64(truncatingIfNeeded: value)) &* 0x100_0000_01b3
  }

  /// The state after the intents `.add(1)`, `.add(2)`, … `.add(count)`.
  static func after(_ count: Int) -> Tally {
    var tally = Tally()
    for value in 0..<count { tally.add(value + 1) }
    return tally
  }
}

enum TallyIntent: Intent, Codable, Equatable {
  case add(Int)
  case note(String)
}

func tally(state: inout Tally, intent: TallyIntent) -> [any Effect] {
  switch intent {
  case .add(let value): state.add(value)
  case .note(let note): state.note = note
  }
  return []
}

/// A reducer of all intents that a typed one makes.
func erased<State, I: Intent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
) -> Reducer<State> {
  reduce(reducer)
}

let tallyFormat = JournalFormat(of: Tally.self, intents: [.named("tally", TallyIntent.self)])

/// Lines that were reported.
final class Lines: Sendable {
  private let lines = Locked<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func append(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A value that closures share.
final class Shared<Value: Sendable>: Sendable {
  private let locked: Locked<Value>
  init(_ value: Value) { locked = Locked(value) }
  var value: Value { locked.withLock { $0 } }
  func change(_ body: (inout Value) -> Void) { locked.withLock { body(&$0) } }
}

extension Options {
  /// For parts of a journal that are tested without files.
  static let usual = Options(
    durability: .written, snapshots: .bySize, keeping: 1, onDivergence: .report, onFailure: nil,
    report: { _ in })
}

/// A pause after which no test makes another digest than the first.
let noDigests = 1 << 30

extension Journal {
  /// A journal in memory, in which each commit has a digest unless a pause is given.
  convenience init(
    in files: MemoryFiles, _ format: JournalFormat<State>, _ durability: Durability = .synced,
    snapshots: Snapshots = .bySize, keeping: Int = 2, smallestLog: Int? = nil,
    onDivergence: OnDivergence = .report, digestPause: Int = 0, slowDigest: Int = 100_000,
    onFailure: (@Sendable (JournalFailure) -> Void)? = nil, reports: Lines = Lines()
  ) throws {
    var options = Options(
      durability: durability, snapshots: snapshots, keeping: keeping, onDivergence: onDivergence,
      onFailure: onFailure, report: reports.append, digestPause: digestPause,
      slowDigest: slowDigest)
    if let smallestLog { options.smallestLog = smallestLog }
    try self.init(Directory(at: "/j", files, isMade: true), format, options)
  }
}

extension Journal {
  /// Makes the first commit wait for the pause between digests as well.
  ///
  /// Call it after the store is made.
  func skipFirstDigest() { core.queue.withLock { $0.digests.last = microsecondsNow() } }
}

/// The state that a store would continue with; the store is released when this returns.
func recovered(
  _ files: MemoryFiles, reports: Lines = Lines()
) throws -> Tally {
  let journal = try Journal(in: files, tallyFormat, reports: reports)
  return try Store(state: Tally(), reducer: tally, journal: journal).state
}

/// A loop that keeps the bodies of deliveries until a test runs or drops them.
final class Bodies: Sendable {
  private let bodies = Shared<[@Sendable () -> Void]>([])
  var delivery: Delivery { .custom { [bodies] body in bodies.change { $0.append(body) } } }

  func run() {
    while let body = next() { body() }
  }

  /// Runs them on a thread of their own.
  ///
  /// - Returns: is signaled when none is left.
  func runOnThread() -> DispatchSemaphore {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      self.run()
      isDone.signal()
    }
    return isDone
  }

  func drop() {
    while next() != nil {}
  }

  private func next() -> (@Sendable () -> Void)? {
    var body: (@Sendable () -> Void)?
    bodies.change { if !$0.isEmpty { body = $0.removeFirst() } }
    return body
  }
}

/// Runs what it is given at once, on the thread that gives it.
final class InlineExecutor: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
