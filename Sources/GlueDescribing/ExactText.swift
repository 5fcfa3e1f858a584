// Texts that differ where values do, for types whose own descriptions omit something. Foundation's
// types are recognized by name, because this module doesn't import Foundation.

/// The text of a floating-point number, a duration, a date or bytes; nil for any other value.
func exactText(of value: Any) -> String? {
  switch value {
  case let number as Double: return number.debugDescription
  case let number as Float: return number.debugDescription
  case let duration as Duration: return text(of: duration)
  default: break
  }
  if isScalar(type(of: value)) { return nil }
  return dateText(of: value) ?? bytesText(of: value)
}

/// Shows all digits; the description stops after 17.
private func text(of duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  let sign = duration < .zero ? "-" : ""
  return "\(sign)\(seconds.magnitude).\(decimals(attoseconds.magnitude, digits: 18)) seconds"
}

/// A date to the nanosecond: its description with the fraction of the second inserted.
private func dateText(of value: Any) -> String? {
  guard isOfFoundation(value, "Date"),
    let seconds = Mirror(reflecting: value).children.first?.value as? Double
  else { return nil }
  // `description` traps for NaN, and is the same for all distant dates. Dates count from 1970, so
  // those less than about 100 ns before a second show that second.
  let whole = seconds.rounded(.down)
  let isShown = (seconds + from1970).rounded(.down) == whole + from1970
  let text = seconds.magnitude < 1e11 && isShown ? String(describing: value) : ""
  guard let zone = text.lastIndex(of: " "), !text.hasPrefix("<") else {
    return "Date(timeIntervalSinceReferenceDate: \(seconds))"
  }
  let nanoseconds = min(Int(((seconds - whole) * 1e9).rounded()), 999_999_999)
  if nanoseconds == 0 { return text }
  return "\(text[..<zone]).\(decimals(nanoseconds, digits: 9))\(text[zone...])"
}

/// The seconds from the start of 1970 to the start of 2001, from which dates count.
private let from1970 = 978_307_200.0

/// Decimals without trailing zeros.
private func decimals(_ number: some BinaryInteger, digits: Int) -> String {
  let text = String(number)
  let padded = String(repeating: "0", count: digits - text.count) + text
  let last = padded.lastIndex { $0 != "0" } ?? padded.startIndex
  return String(padded[...last])
}

/// The text of Foundation's `Data`, whose own description is only its count.
///
/// - Parameters:
///   - value: any value.
///   - start: the first byte that is shown.
/// - Returns: the count and up to 10,000 bytes; nil for any other value.
func bytesText(of value: Any, from start: Int = 0) -> String? {
  guard let bytes = bytes(of: value) else { return nil }
  let shown = bytes.dropFirst(start).prefix(10_000)
  let digits = shown.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
  let place = start == 0 ? "" : ", from byte \(start)"
  let isCut = start + shown.count < bytes.count
  return "\(String(describing: value))\(place): \(digits.joined())" + (isCut ? "…" : "")
}

/// The length of the common prefix of two values of Foundation's `Data`; nil for other values.
package func commonByteCount(_ a: Any, _ b: Any) -> Int? {
  guard let a = bytes(of: a), let b = bytes(of: b) else { return nil }
  func count(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
    zip(a, b).lazy.prefix { $0 == $1 }.reduce(0) { count, _ in count + 1 }
  }
  let fast = a.withContiguousStorageIfAvailable { a in
    b.withContiguousStorageIfAvailable { count(a, $0) }
  }
  return (fast ?? nil) ?? count(a, b)
}

private func bytes(of value: Any) -> (any RandomAccessCollection<UInt8>)? {
  guard let bytes = value as? any RandomAccessCollection<UInt8> else { return nil }
  return isOfFoundation(value, "Data") ? bytes : nil
}

private func isOfFoundation(_ value: Any, _ name: String) -> Bool {
  ["Foundation.", "FoundationEssentials."].contains {
    String(reflecting: type(of: value)) == $0 + name
  }
}
