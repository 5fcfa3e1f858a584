import Glue

/// A text with all characters escaped that could control a terminal.
package func escaped(_ text: String) -> String {
  text.unicodeScalars.map(escaped).joined()
}

/// Doesn't escape quotes and backslashes, which depend on the quotes around the text.
func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\n": return "\\n"
  case "\r": return "\\r"
  case "\t": return "\\t"
  case "\u{200C}", "\u{200D}": return String(scalar)
  default: break
  }
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: break
  default: if !isUnseen(scalar) { return String(scalar) }
  }
  return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
}

/// Whether it is a filler, a variation selector, or a space that only looks like one.
private func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
  scalar.properties.isDefaultIgnorableCodePoint
    || ["\u{A0}", "\u{2007}", "\u{202F}"].contains(scalar)
}
