// What lines are made of.

extension [UInt8] {
  mutating func append(decimal number: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = digits.count
      var rest = number.magnitude
      repeat {
        start -= 1
        digits.initializeElement(
          at: start, to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
        rest /= 10
      } while rest > 0
      if number < 0 { append(UInt8(ascii: "-")) }
      append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }

  /// Appends a text as JSON.
  mutating func append(quoted text: String) {
    append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { utf8 in
      if utf8.allSatisfy(isPlain) { return append(contentsOf: utf8) }
      var start = 0
      for index in utf8.indices {
        guard let escape = escape(utf8[index]) else { continue }
        append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
        append(contentsOf: escape)
        start = index + 1
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
    }
    append(UInt8(ascii: "\""))
  }
}

/// Whether a byte stands in a text of JSON as it is.
func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// What stands for a byte that may not be in a text as it is.
private func escape(_ byte: UInt8) -> [UInt8]? {
  switch byte {
  case UInt8(ascii: "\""): Array("\\\"".utf8)
  case UInt8(ascii: "\\"): Array("\\\\".utf8)
  case 0..<0x20: Array((byte < 16 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
  default: nil
  }
}
