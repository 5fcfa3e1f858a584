/// A line of input, without the blanks around it; of a long one only the beginning is kept.
struct Line {
  /// How many bytes are kept: more than any command has, and than any message shows.
  private static let limit = 256

  /// The first line has number 1.
  let number: Int

  /// Whether more than what is kept belongs to the line.
  private(set) var isCut = false

  private var kept: [UInt8] = []

  init(number: Int) {
    self.number = number
  }

  /// The bytes from the first to the last that is not blank.
  var content: ArraySlice<UInt8> {
    kept[..<(kept.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0)]
  }

  mutating func append(_ part: ArraySlice<UInt8>) {
    if isCut { return }
    let part = kept.isEmpty ? part.drop(while: isBlank) : part
    let fitting = part.prefix(Line.limit - kept.count)
    kept += fitting
    isCut = !part.dropFirst(fitting.count).allSatisfy(isBlank)
  }
}

/// Whether the byte is a space, a tab or the carriage return of a line end.
private func isBlank(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
}
