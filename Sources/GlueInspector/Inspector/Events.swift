internal import Glue

extension Inspector {
  /// What is kept and what will come, each as one line of JSON, such as a server sends to a page
  /// that ``page(live:)`` made.
  ///
  /// Lines are of three kinds. A commit has a `number`, a `time` in seconds since 1970, its `intent`
  /// and, where there are any, a `cause`, `effects`, `changes`, the new `values` among these as trees,
  /// the whole `state`, the `lanes` of effects by their index, and its `place` in a recording; that an effect has `started`, `ended` or been `cancelled` has the same
  /// members as a cause, what it `is` now, and a `time`. A reader that is so slow that lines have gone
  /// which it has not read is told how many were `dropped`, with the changes that lead to the state
  /// after them as a `base`, and goes on with the oldest that is kept.
  ///
  /// Each use of this property is a reader of its own, for one loop. It ends when its task is
  /// cancelled, and when the inspector goes, after what was still to be read.
  public var events: AsyncStream<String> {
    let reader = Reader(of: log)
    return AsyncStream { await reader.next() }
  }
}

/// A log that may be used by any thread, and is waited for.
final class SharedLog: Sendable {
  private let log: Guarded<Log>

  init(limit: Int) {
    log = Guarded(Log(limit: limit))
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

  /// Tells the readers that there will be no more.
  func finish() {
    for reader in withLock({ $0.readers }).values { reader.finish() }
  }
}

/// Reads a log from its beginning on.
private final class Reader: Sendable {
  private let log: SharedLog
  private let count = Guarded(0)
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
