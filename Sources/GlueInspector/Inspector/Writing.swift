internal import Foundation
internal import Glue
internal import GlueDescribing

extension Inspector {
  /// Writes the kept commits as a page: one file, which a browser shows without any network.
  ///
  /// It shows a time line of the commits and their effects, causes, each commit's changes, and the
  /// state after it. The file contains the values of intents, effects and states, except redacted
  /// ones.
  ///
  /// - Parameter path: the file to create or replace.
  /// - Throws: the error of writing the file.
  /// - Complexity: O(*n*) in the number of kept commits.
  public func writePage(to path: String) throws {
    let (base, entries) = log.withLock { ($0.baseLine, $0.entries) }
    let lines = base.map { ["{\($0)}"] } ?? []
    let page = makePage(of: title, limit: limit, lines: lines + entries.lazy.map(\.line))
    try write(page, to: path)
  }

  /// Makes a page for a server to serve.
  ///
  /// The page listens to events from the server.
  ///
  /// The server sends each of ``events`` as a server-sent event: `data: `, the line, and two line
  /// breaks. The page connects to nothing else, and starts over with each new connection.
  ///
  /// - Parameter address: where the server sends events, such as `/events`, or
  ///   `http://localhost:8080/events`.
  /// - Returns: the page, in HTML.
  public func page(live address: String) -> String {
    String(decoding: makePage(of: title, limit: limit, live: address), as: UTF8.self)
  }

  /// Writes the kept commits as Chrome trace events, in JSON, which Perfetto opens.
  ///
  /// Commits are instants, and effects with a recorded start have a length. Flows lead from each
  /// commit to those that its effects caused.
  ///
  /// - Parameter path: the file to create or replace.
  /// - Throws: the error of writing the file.
  /// - Complexity: O(*n*) in the number of kept commits.
  public func writeTrace(to path: String) throws {
    let (entries, gone) = log.withLock { ($0.entries, $0.goneCommitCount) }
    try write(Trace.json(of: entries, state: title, gone: gone), to: path)
  }

  private var title: String { escaped("\(State.self)") }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path), options: .atomic)
  }
}
