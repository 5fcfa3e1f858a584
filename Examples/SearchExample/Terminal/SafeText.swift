/// Foreign text, safe to show on a terminal: it controls nothing and hides nothing.
///
/// Each control character becomes its picture, such as ␛; a tab becomes a space. Other unprintable
/// characters, and invalid UTF-8, become �.
func safeText(_ bytes: some Collection<UInt8>) -> String {
  var text = String.UnicodeScalarView()
  text.append(contentsOf: String(decoding: bytes, as: UTF8.self).unicodeScalars.lazy.map(safe))
  return String(text)
}

private func safe(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
  switch scalar.value {
  case 0x20..<0x7F: scalar
  case 0x09: " "
  case 0..<0x20: Unicode.Scalar(0x2400 + scalar.value) ?? replacement
  case 0x7F: "\u{2421}"
  default: isVisible(scalar) ? scalar : replacement
  }
}

private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
  default: true
  }
}

private let replacement: Unicode.Scalar = "\u{FFFD}"
