import Glue

extension MemoryLog {
  /// One replica's connection to the log.
  public final class Connection: Log {
    private struct Weather {
      var faults: Faults
      var random: SeededGenerator
      var isCut = false

      /// How often the link was restored.
      var links = 0

      /// The name of the log and the session that the reader knows.
      var known: [String] = []

      func session(_ generation: Int) -> String { "\(generation).\(links)" }

      /// Whether a session is that of a generation; nil is any.
      func isSession(_ session: String?, of generation: Int) -> Bool {
        session == nil || session == self.session(generation)
      }

      mutating func happens(_ fault: KeyPath<Faults, Double>) -> Bool {
        Double.random(in: 0..<1, using: &random) < faults[keyPath: fault]
      }
    }

    private let log: MemoryLog
    private let weather: Locked<Weather>

    init(to log: MemoryLog, faults: Faults, seed: UInt64) {
      self.log = log
      weather = Locked(Weather(faults: faults, random: SeededGenerator(seed: seed)))
    }

    /// Sets the faults from now on.
    public func setFaults(_ faults: Faults) {
      weather.withLock { $0.faults = faults }
    }

    /// Cuts the connection, so that nothing passes either way, or restores it in another session.
    public func setCut(_ isCut: Bool) {
      weather.withLock { weather in
        if weather.isCut, !isCut { weather.links += 1 }
        weather.isCut = isCut
      }
      log.wake()
    }

    private var isCut: Bool { weather.withLock { $0.isCut } }

    private func happens(_ fault: KeyPath<Faults, Double>) -> Bool {
      weather.withLock { $0.happens(fault) }
    }

    /// Appends in the session of the last page, or in any, or fails as the faults say.
    ///
    /// Another session begins when a cut connection is restored, and when the log loses entries.
    public func append(
      _ entry: [UInt8], in session: String?, within limit: Duration
    ) async throws(LogError) -> LogPosition {
      await Task.yield()
      if isCut || happens(\.refusals) { throw .refused("refused") }
      if happens(\.lostAppends) { throw .unknown("lost") }
      let before = weather.withLock { $0 }
      let isCurrent: (Int) -> Bool = { before.isSession(session, of: $0) }
      if happens(\.delays) {
        let appends = weather.withLock { Int.random(in: 1...5, using: &$0.random) }
        log.contents.withLock { contents in
          if isCurrent(contents.generation) { contents.delayed.append((appends, entry)) }
        }
        throw .unknown("delayed")
      }
      guard let position = log.append(entry, if: isCurrent) else {
        throw .refused("another session has begun")
      }
      if happens(\.duplicates) { _ = log.append(entry, if: isCurrent) }
      if happens(\.lostReplies) { throw .unknown("no reply") }
      return position
    }

    /// Reads, or fails as the faults say.
    public func read(
      from position: LogPosition, within limit: Duration
    ) async throws(LogError) -> LogPage {
      await Task.yield()
      for await _ in log.changes(within: limit) {
        if isCut || happens(\.disconnects) { throw .cut("cut off") }
        let from = happens(\.repeats) ? max(log.first, position - 3) : position
        var page = try page(from: min(from, position), wanted: position)
        let isNews = weather.withLock { weather in
          defer { weather.known = [page.log, page.session] }
          return weather.known != [page.log, page.session]
        }
        guard isNews || page.entries.last.map({ $0.position >= position }) == true else {
          continue
        }
        if page.entries.count > 2, happens(\.gaps) {
          page.entries.remove(at: page.entries.count / 2)
        }
        return page
      }
      if Task.isCancelled { throw .cut("canceled") }
      var page = try page(from: position, wanted: position)
      page.entries = []
      return page
    }

    /// Reads one entry, unless the connection is cut.
    public func entry(
      at position: LogPosition, within limit: Duration
    ) async throws(LogError) -> LogEntry? {
      if isCut || happens(\.disconnects) { throw .cut("cut off") }
      return try page(from: position, wanted: position).entries.first { $0.position == position }
    }

    private func page(from: LogPosition, wanted: LogPosition) throws(LogError) -> LogPage {
      let before = weather.withLock { $0 }
      let (page, first) = log.contents.withLock { contents in
        let from = max(from, contents.first)
        let entries = (from..<max(from, min(contents.last + 1, from + 100))).map {
          LogEntry(position: $0, bytes: contents.entries[$0 - contents.first])
        }
        let page = LogPage(
          log: contents.name, session: before.session(contents.generation), end: contents.last,
          entries: entries)
        return (page, contents.first)
      }
      if wanted < first { throw .trimmed(first: first) }
      return page
    }

    /// The snapshot, unless the connection is cut.
    public func snapshot() async throws(LogError) -> LogSnapshot? {
      if isCut || happens(\.disconnects) { throw .cut("cut off") }
      return log.contents.withLock { $0.snapshots.last }
    }

    /// Keeps a snapshot in the session of the last page, or in any, unless the connection is cut.
    public func keep(
      _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
    ) async throws(LogError) {
      let before = weather.withLock { $0 }
      if isCut || happens(\.disconnects) { throw .cut("cut off") }
      let isCurrent = log.contents.withLock { contents in
        guard before.isSession(session, of: contents.generation) else { return false }
        guard contents.snapshots.last?.position ?? 0 < snapshot.position else { return true }
        contents.snapshots = contents.snapshots.suffix(1) + [snapshot]
        let count = min(max(position - contents.first, 0), contents.entries.count)
        contents.entries.removeFirst(count)
        contents.first += count
        return true
      }
      if !isCurrent { throw .refused("another session has begun") }
    }
  }
}
