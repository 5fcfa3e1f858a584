import Glue
internal import Synchronization

/// What a journal writes: it waits in the store's outbox.
///
/// `@unchecked Sendable` is sound because what varies does so under the store's lock alone, before
/// anybody can deliver it.
final class Item<State: Codable & Sendable>: Written, @unchecked Sendable {
  enum Content {
    case commit(CommitItem<State>)

    /// Effects that are over.
    case over([EffectKey])

    /// The state after a commit, and what it is for.
    case state(State, after: Int, JournalPoint)

    /// Somebody waits until all before it is on the disk.
    case sync(WaitForSync)
  }

  let journal: Journal<State>
  private(set) var content: Content

  init(_ content: Content, in journal: Journal<State>) {
    self.content = content
    self.journal = journal
  }

  /// Adds effects that the commit has cancelled, dropped or replaced.
  func add(over keys: [EffectKey]) {
    guard case .commit(var commit) = content else { return }
    commit.over += keys
    content = .commit(commit)
  }

  func write(_ all: [any Written], before rest: () -> [any Written]) -> Int {
    journal.write(all.compactMap { $0 as? Item }) { rest().compactMap { $0 as? Item } }
  }
}

/// A commit on its way to the journal.
struct CommitItem<State: Sendable>: Sendable {
  var number: Int
  let time: Int
  let cause: Cause
  let intent: any Intent

  /// Whether its intent can be recorded.
  let isNamed: Bool

  /// Its effects, if some may have to happen.
  let effects: [any Effect]

  /// The state after it, if that is to be recorded.
  let state: State?

  /// The effects that it has cancelled, dropped or replaced.
  var over: [EffectKey] = []

  /// The first one of those whose intents are lost with its own.
  var firstLost: Int?
}

/// One who waits until something is on the disk.
final class WaitForSync: Sendable {
  private let continuation: Mutex<CheckedContinuation<Void, Never>?>

  init(_ continuation: CheckedContinuation<Void, Never>) {
    self.continuation = Mutex(continuation)
  }

  /// What is lost on the way keeps nobody waiting.
  deinit { end() }

  func end() {
    continuation.withLock { $0.take() }?.resume()
  }
}
