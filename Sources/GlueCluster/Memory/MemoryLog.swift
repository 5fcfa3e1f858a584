import Glue

/// A log in this process, for tests.
///
/// It keeps every entry intact. Its connections can show all the faults that a network may cause.
///
///     let log = MemoryLog()
///     let first = log.connection(faults: .many, seed: 1)
///
/// Without a clock, a read waits for the next entry, without limit. The seed decides which faults
/// happen. So a test of it depends on no time.
public final class MemoryLog: Sendable {
  struct Contents: Sendable {
    var name = "first"

    /// Counts how often the log was replaced by another or an earlier one.
    var generation = 0
    var first = 1
    var entries: [[UInt8]] = []

    /// The newest snapshot, and the one before, which a backup has.
    var snapshots: [LogSnapshot] = []
    var delayed: [(appends: Int, bytes: [UInt8])] = []
    var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    var waits = 0

    var last: LogPosition { first + entries.count - 1 }
  }

  let contents = Locked(Contents())

  let clock: (any Clock<Duration>)?

  /// Makes an empty log.
  ///
  /// - Parameter clock: decides when a read has waited long enough.
  public init(clock: (any Clock<Duration>)? = nil) { self.clock = clock }

  /// Makes a connection to the log for one replica.
  ///
  /// - Parameters:
  ///   - faults: the faults that happen on it.
  ///   - seed: decides when they happen.
  /// - Returns: an engine for one replica.
  public func connection(faults: Faults = Faults(), seed: UInt64 = 0) -> Connection {
    Connection(to: self, faults: faults, seed: seed)
  }

  /// The last position that has an entry.
  public var last: LogPosition { contents.withLock { $0.last } }

  /// The first position that still has an entry.
  public var first: LogPosition { contents.withLock { $0.first } }

  /// Deletes the log and makes another one.
  public func recreate() {
    contents.withLock {
      $0 = Contents(
        name: $0.name + " anew", generation: $0.generation + 1, waiting: $0.waiting, waits: $0.waits
      )
    }
    wake()
  }

  /// Loses the entries and snapshots after a position, and begins another session.
  ///
  /// That happens to a server that is restored from a backup, and to a promoted standby that followed
  /// asynchronously. The log still begins with a snapshot if it did, so it loses less where no other
  /// snapshot is left to begin with.
  public func lose(after position: LogPosition) {
    contents.withLock { contents in
      contents.generation += 1
      let starts = [0] + contents.snapshots.map(\.position)
      let usable = starts.filter { $0 >= contents.first - 1 }
      let position = max(position, usable.first ?? contents.last)
      contents.entries.removeLast(min(max(contents.last - position, 0), contents.entries.count))
      contents.snapshots.removeAll { $0.position > position }
      contents.delayed = []
    }
    wake()
  }

  /// Appends any bytes.
  @discardableResult
  public func append(_ bytes: [UInt8]) -> LogPosition { append(bytes, if: { _ in true })! }

  /// Appends if the log's generation is right; nil: it isn't.
  func append(_ bytes: [UInt8], if isRight: (Int) -> Bool) -> LogPosition? {
    let position: LogPosition? = contents.withLock { contents in
      guard isRight(contents.generation) else { return nil }
      contents.entries.append(bytes)
      let position = contents.last
      for index in contents.delayed.indices { contents.delayed[index].appends -= 1 }
      contents.entries += contents.delayed.filter { $0.appends <= 0 }.map(\.bytes)
      contents.delayed.removeAll { $0.appends <= 0 }
      return position
    }
    wake()
    return position
  }

  func wake() {
    let waiting = contents.withLock { $0.waiting.sorted { $0.key < $1.key } }
    for (_, reader) in waiting { reader.yield() }
  }

  /// Makes a stream that yields at once, and again when the log may have new entries.
  ///
  /// It ends after `limit`, if there is a clock.
  func changes(within limit: Duration) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = contents.withLock { contents in
      contents.waits += 1
      contents.waiting[contents.waits] = continuation
      return contents.waits
    }
    let timer = clock.map { clock in
      Task(executorPreference: (clock as? any OwnedClock)?.executor) {
        try await clock.sleep(for: limit)
        continuation.finish()
      }
    }
    continuation.onTermination = { [weak self] _ in
      timer?.cancel()
      _ = self?.contents.withLock { $0.waiting.removeValue(forKey: id) }
    }
    continuation.yield()
    return stream
  }
}
