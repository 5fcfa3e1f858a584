/// Returns a JSON string that is safe in HTML: it can't end a script or a line.
func quoted(_ text: String) -> String {
  var json = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\":
      json += "\\"
      json.unicodeScalars.append(scalar)
    case "<", "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
      let digits = String(scalar.value, radix: 16)
      json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    default: json.unicodeScalars.append(scalar)
    }
  }
  return json + "\""
}

/// Returns a JSON array of JSON values.
func array(_ elements: some Sequence<String>) -> String {
  "[" + elements.joined(separator: ",") + "]"
}

/// Returns microseconds as seconds, in decimal.
func seconds(_ time: Int) -> String {
  let (whole, rest) = time.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
  return (time < 0 ? "-" : "") + "\(whole)." + String("\(rest + 1_000_000)".dropFirst())
}
