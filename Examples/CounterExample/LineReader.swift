import TerminalSupport

/// Divides what it reads into lines, in memory that does not grow with their length.
struct LineReader {
  private let read: () throws(SystemError) -> [UInt8]
  private var unused: ArraySlice<UInt8> = []
  private var number = 0
  private var isAtEnd = false

  /// - Parameter read: waits for the next bytes and returns them; none at the end of the input.
  init(read: @escaping () throws(SystemError) -> [UInt8]) {
    self.read = read
  }

  /// The next line, which the end of the input ends as well as a newline does.
  mutating func next() throws(SystemError) -> Line? {
    number += 1
    var line = Line(number: number)
    var isBegun = false
    while try fill() {
      isBegun = true
      if takeLineEnd(into: &line) { return line }
    }
    return isBegun ? line : nil
  }

  /// Reads if nothing is left, and returns whether there is something now.
  private mutating func fill() throws(SystemError) -> Bool {
    if isAtEnd || !unused.isEmpty { return !isAtEnd }
    unused = try read()[...]
    isAtEnd = unused.isEmpty
    return !isAtEnd
  }

  /// Adds what belongs to the line, and returns whether that was the last of it.
  private mutating func takeLineEnd(into line: inout Line) -> Bool {
    let end = unused.firstIndex(of: UInt8(ascii: "\n"))
    line.append(unused[..<(end ?? unused.endIndex)])
    unused = unused[(end.map { $0 + 1 } ?? unused.endIndex)...]
    return end != nil
  }
}
