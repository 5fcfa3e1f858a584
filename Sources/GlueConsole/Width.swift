/// How many columns a terminal gives to a scalar: none to a combining one, two to East Asian
/// characters and emoji.
public func terminalColumns(of scalar: Unicode.Scalar) -> Int {
  if scalar.isASCII { return 1 }
  switch scalar.properties.generalCategory {
  case .nonspacingMark, .enclosingMark: return 0
  default: return wideRanges.contains { $0.contains(scalar.value) } ? 2 : 1
  }
}

/// How many columns a terminal gives to a text, which must control nothing.
public func terminalColumns(of text: String) -> Int {
  text.unicodeScalars.reduce(0) { $0 + terminalColumns(of: $1) }
}

/// The end of a text that fits into that many columns, after an ellipsis if it is cut.
public func terminalEnd(of text: String, columns: Int) -> String {
  var left = terminalColumns(of: text)
  if left <= columns { return text }
  let rest = text.unicodeScalars.drop { scalar in
    defer { left -= terminalColumns(of: scalar) }
    return left > columns - 1
  }
  return columns > 0 ? "…" + String(rest) : ""
}

/// The beginning of a text that fits into that many columns.
public func terminalBeginning(of text: String, columns: Int) -> String {
  var left = columns
  let fitting = text.unicodeScalars.prefix { scalar in
    left -= terminalColumns(of: scalar)
    return left >= 0
  }
  return String(fitting)
}

/// The blocks whose characters are two columns wide in common terminals.
private let wideRanges: [ClosedRange<UInt32>] = [
  0x1100...0x115F, 0x231A...0x231B, 0x23E9...0x23EC, 0x2E80...0x303E, 0x3041...0x4DBF,
  0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
  0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
  0x20000...0x3FFFD,
]
