internal import Dispatch
import Glue
internal import Synchronization

/// What a journal asks of its store; nothing happens once that is gone.
struct StoreAccess<State: Codable & Sendable>: Sendable {
  /// Queues something to be written, made of the state and the number of the last commit.
  let queue: @Sendable (_ make: (State, Int) -> any Written) -> Void

  /// Has nothing told to the world from now on, behind what is queued last.
  let mute: @Sendable (_ make: (State, Int) -> [any Written]) -> Void

  /// The state, the number of the last commit, and what is queued to be written.
  let newest: @Sendable () -> (State, Int, [any Written])?
}

// MARK: - Beginning

extension Journal {
  /// Begins to write the commits of a store, after those that were recovered.
  ///
  /// - Returns: the state to begin with, how many commits have led to it, and the effects that are
  ///   left.
  func begin(
    with initial: State, reducer: Reducer<State>, _ store: StoreAccess<State>
  ) throws -> (state: State, commits: Int, left: [ReadEffect]) {
    let (found, lock) = phase.withLock { phase -> (Found<State>?, DirectoryLock) in
      guard case .opened(let found, let lock) = phase else { stopForSecondStore(directory.path) }
      return (found, lock)
    }
    do {
      let (state, writing, left) =
        try found.map { goOn(with: $0, reducer, lock, store) }
        ?? (initial, beginNew(with: initial, lock, store), [])
      let commit = writing.writer.commit
      phase.withLock { $0 = .writing(writing) }
      if found?.recorded.isOld == true { renew(with: state, writing.writer.log) }
      return (state, commit, left)
    } catch let error as FileError { throw JournalError(error, in: directory.path) }
  }

  private func beginNew(
    with initial: State, _ lock: DirectoryLock, _ store: StoreAccess<State>
  ) throws -> Writing<State> {
    let json = try encoded(initial)
    let log = try LogFile(in: directory, after: 0, beginningWith: 1, version: format.version)
    let size = try place(json, StatePlace(commit: 0, durable: 1, left: []))
    let writer = writer(log, next: 2, commit: 0, left: [:])
    return Writing(writer, lock, store, stateCommit: 0, stateSize: size)
  }

  /// The first state, which has to decode.
  private func encoded(_ state: State) throws -> [UInt8] {
    do {
      let json = try Array(format.coding.encode(state))
      _ = try format.state(from: JSONPiece(json, json.indices), version: format.version)
      return json
    } catch {
      let reason = (error as? Undecodable)?.reason ?? "\(error)"
      throw JournalError(
        directory.path,
        "a state of type \(State.self) does not encode such that it decodes: \(reason)")
    }
  }

  private func goOn(
    with found: Found<State>, _ reducer: Reducer<State>, _ lock: DirectoryLock,
    _ store: StoreAccess<State>
  ) -> (State, Writing<State>, [ReadEffect]) {
    var replay = Replay(of: found.recorded)
    replay.run(reducer) { options.report("\(directory.path): \($0)") }
    let writer = writer(
      found.log, next: found.next, commit: found.recorded.commit,
      left: replay.left.mapValues(\.json))
    let writing = Writing(
      writer, lock, store, stateCommit: found.stateCommit, stateSize: found.stateSize)
    return (replay.state, writing, replay.left.values.sorted { $0.key < $1.key })
  }

  private func writer(
    _ log: LogFile, next: Int, commit: Int, left: [EffectKey: [UInt8]]
  ) -> Writer<State> {
    Writer(
      directory, format, isSynced: options.durability == .synced, log: log, next: next,
      commit: commit, left: left)
  }
}
