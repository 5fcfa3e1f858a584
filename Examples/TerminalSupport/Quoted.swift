/// Foreign text in quotes, made safe to show on a terminal and shortened to 40 characters.
///
/// Whatever is invisible or could steer the terminal is escaped, and so is invalid UTF-8.
package func quoted(_ bytes: ArraySlice<UInt8>) -> String {
  var characters: [String] = []
  var rest = bytes
  while !rest.isEmpty, characters.count <= 40 {
    characters.append(takeCharacter(from: &rest))
  }
  return "\"\(characters.prefix(40).joined())\(characters.count > 40 ? "…" : "")\""
}

/// Takes one Unicode scalar, or one byte that belongs to none.
private func takeCharacter(from rest: inout ArraySlice<UInt8>) -> String {
  var parser = UTF8.ForwardParser()
  var iterator = rest.makeIterator()
  guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else {
    return "\\x" + String(rest.removeFirst(), radix: 16, uppercase: true)
  }
  rest.removeFirst(encoded.count)
  return shown(UTF8.decode(encoded))
}

private func shown(_ scalar: Unicode.Scalar) -> String {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
    "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
  default:
    scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : "\(scalar)"
  }
}
