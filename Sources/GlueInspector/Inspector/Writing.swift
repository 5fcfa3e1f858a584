internal import Foundation
internal import Glue

extension Inspector {
  /// Writes what is kept as a page: one file, which a browser shows without any network.
  ///
  /// It has a time line of the commits and their effects, what caused what, what each commit
  /// changed, and the state after it. What was in intents, effects and states is in the file, but
  /// for what is redacted.
  ///
  /// - Parameter path: where; a file that is there is replaced.
  /// - Throws: what kept it from being written.
  /// - Complexity: O(*n*) in the number of commits that are kept.
  public func writePage(to path: String) throws {
    let (base, entries) = log.withLock { ($0.baseLine, $0.entries) }
    let lines = base.map { ["{\($0)}"] } ?? []
    let page = makePage(of: title, limit: limit, lines: lines + entries.lazy.map(\.line))
    try write(page, to: path)
  }

  /// A page for a server to serve, which listens to what comes from there.
  ///
  /// The server sends each of ``events`` as a server-sent event: `data: `, the line, and two line
  /// breaks. The page connects to nothing else, and begins anew whenever the connection does.
  ///
  /// - Parameter address: where the server sends events, such as `/events`, or
  ///   `http://localhost:8080/events`.
  /// - Returns: the page, in HTML.
  public func page(live address: String) -> String {
    String(decoding: makePage(of: title, limit: limit, live: address), as: UTF8.self)
  }

  /// Writes what is kept as Chrome trace events, in JSON, which Perfetto opens.
  ///
  /// Commits are instants, effects whose start was told have a length, and flows lead from each
  /// commit to those that its effects have caused.
  ///
  /// - Parameter path: where; a file that is there is replaced.
  /// - Throws: what kept it from being written.
  /// - Complexity: O(*n*) in the number of commits that are kept.
  public func writeTrace(to path: String) throws {
    let (entries, gone) = log.withLock { ($0.entries, $0.goneCommitCount) }
    try write(Trace.json(of: entries, state: title, gone: gone), to: path)
  }

  private var title: String { escaped("\(State.self)") }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path), options: .atomic)
  }
}
