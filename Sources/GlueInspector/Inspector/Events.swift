internal import Glue

extension Inspector {
  /// The kept entries and all later ones, each as one line of JSON.
  ///
  /// A server sends them to a page that ``page(live:)`` made.
  ///
  /// There are three kinds of lines:
  ///
  /// - A commit has a `number`, a `time` in seconds since 1970, and its `intent`. It may have a
  ///   `cause`, `effects`, `changes`, the new `values` among these as trees, and the whole `state`.
  ///   It may also have the `lanes` of effects by their index, and its `place` in a recording.
  /// - An event of an effect has the members of a cause, the event as `is`, and a `time`. The event
  ///   is `started`, `ended` or `canceled`.
  /// - If the inspector removes lines before a slow reader gets them, one line has their number as
  ///   `dropped`. Its `base` has the changes that lead to the state after them. The reader
  ///   continues with the oldest kept line.
  ///
  /// Each use of this property makes a reader of its own, for one loop. The loop ends when its task
  /// is canceled. After the inspector is released it reads the remaining lines, then ends.
  public var events: AsyncStream<String> {
    let reader = Reader(of: log)
    return AsyncStream { await reader.next() }
  }
}

/// A log that any thread can use, and whose readers can wait for entries.
final class SharedLog: Sendable {
  private let log: Locked<Log>

  init(limit: Int) {
    log = Locked(Log(limit: limit))
  }

  func withLock<Result: Sendable>(_ body: (inout Log) -> Result) -> Result {
    log.withLock(body)
  }

  func append(_ entry: Entry) {
    let readers = withLock { log in
      log.append(entry)
      return log.readers
    }
    for reader in readers.values { reader.yield() }
  }

  /// Ends the readers' streams.
  func finish() {
    for reader in withLock({ $0.readers }).values { reader.finish() }
  }
}

/// Reads a log from its oldest entry on.
private final class Reader: Sendable {
  private let log: SharedLog
  private let count = Locked(0)
  private let news: AsyncStream<Void>

  init(of log: SharedLog) {
    self.log = log
    let (news, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.news = news
    let id = log.withLock { $0.add(continuation) }
    continuation.onTermination = { [weak log] _ in _ = log?.withLock { $0.remove(id) } }
  }

  func next() async -> String? {
    while !Task.isCancelled {
      if let line = line() { return line }
      var isMore = false
      for await _ in news {
        isMore = true
        break
      }
      if !isMore { return Task.isCancelled ? nil : line() }
    }
    return nil
  }

  private func line() -> String? {
    count.withLock { count in log.withLock { $0.line(after: &count) } }
  }
}
