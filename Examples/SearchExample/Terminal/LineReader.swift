/// Divides standard input into lines, in memory that does not grow with them.
struct LineReader {
  /// The most bytes of a line; a longer one is cut there and ends with an ellipsis.
  static let limit = 65_536

  private var unread: ArraySlice<UInt8> = []

  init() {}

  /// Waits for the next line and returns it without its end; nil when the input has ended.
  mutating func next() throws(SystemError) -> [UInt8]? {
    var line: [UInt8]?
    while try fill() {
      let part = unread.prefix { $0 != UInt8(ascii: "\n") }
      let isEnd = part.endIndex < unread.endIndex
      unread = unread[part.endIndex...].dropFirst()
      line = (line ?? []) + part.prefix(LineReader.limit + 1 - (line?.count ?? 0))
      if isEnd { break }
    }
    return line.map { $0.count > LineReader.limit ? $0.dropLast() + "…".utf8 : $0 }
  }

  /// Reads if nothing is left, and returns whether there are bytes now.
  private mutating func fill() throws(SystemError) -> Bool {
    if unread.isEmpty { unread = try readInput()[...] }
    return !unread.isEmpty
  }
}
