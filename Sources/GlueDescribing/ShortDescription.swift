internal import Glue

/// A text to show instead of a value at a path of names; nil shows the value.
package typealias Rewording = @Sendable (_ value: Any, _ path: [String]) -> String?

/// Describes a value in one line of a limited length, as it would be written in Swift.
///
/// Structures are written `Todo(id: 1, title: "x")`, cases of enumerations `.loading(query: "x")`.
/// Values that describe themselves are written so. Other objects and actors are not reflected; they
/// are written as their type and a number, `Session #1`. Control characters, invisible ones, and
/// those that change the direction of text are escaped. Text that doesn't fit is replaced by "…".
/// Where it is known and `limit` is at least 60, the number of missing elements or bytes follows.
///
/// - Parameters:
///   - value: any value.
///   - limit: the maximum number of characters (Unicode scalars).
///   - start: how many characters of a text, or bytes of `Data`, are skipped at its start.
///   - rewording: the text to show instead of the value, or of parts of it.
///   - path: the path of the value.
/// - Returns: the text.
/// - Complexity: O(`limit`), independent of the value's size, plus the cost of parts that describe
///   themselves. Endless values end at the limit.
package func shortDescription(
  of value: Any, limit: Int, from start: Int = 0, rewording: Rewording? = nil,
  at path: [String] = []
) -> String {
  func described(room: Int) -> Describer {
    var describer = Describer(room: room, start: start, rewording: rewording, path: path)
    describer.describe(value)
    return describer
  }
  let whole = described(room: limit)
  if !whole.isFull { return whole.text }
  if limit <= 0 { return "" }
  let cut = described(room: limit - (limit < 60 ? 1 : 30))
  let missing = limit < 60 ? nil : cut.missing
  return cut.text + "…" + (missing.map { " (+\($0))" } ?? "")
}

/// A value in one line, as in code: with its type, which the description of a case leaves out, and
/// an effect as a reducer returns it, such as `Share().scheduled(.latest, id: 1).inside(2)`.
package func text(
  of value: Any, limit: Int = 200, rewording: Rewording? = nil, at path: [String] = []
) -> String {
  func part(_ part: Any, _ name: String? = nil) -> String {
    text(of: part, limit: limit, rewording: rewording, at: name.map { path + [$0] } ?? path)
  }
  if rewording?(value, path) == nil {
    switch value {
    case let effect as any Effect where !ownEffect(effect).path.isEmpty:
      let (own, ids) = ownEffect(effect)
      return part(own) + phrase(inside: ids) { part($0) }
    case let effect as ScheduledEffect:
      let policy = shortDescription(
        of: effect.policy, limit: limit, rewording: rewording, at: path + ["policy"])
      return "\(part(effect.effect, "effect")).scheduled(\(policy), id: \(part(effect.id, "id")))"
    case let effect as CancelEffects:
      let name = effect.cancelsWholePart ? "part" : "id"
      return "CancelEffects(\(name): \(part(effect.id, name)))"
    case let effect as Send: return "Send(\(part(effect.intent, "intent")))"
    default: break
    }
  }
  let line = shortDescription(of: value, limit: limit, rewording: rewording, at: path)
  return line.hasPrefix(".") ? escaped("\(type(of: value))") + line : line
}

/// Where a part is: `.inside(2, 3)`, or nothing for the whole.
package func phrase(
  inside path: [any Hashable & Sendable], as text: (Any) -> String
) -> String {
  path.isEmpty ? "" : ".inside(\(path.map(text).joined(separator: ", ")))"
}

private protocol Unordered {}
extension Dictionary: Unordered {}
extension Set: Unordered {}

/// Writes a description until the limit is reached.
private struct Describer {
  private(set) var text = ""

  /// The count of what was left out of the outermost string or collection.
  private(set) var missing: String?

  /// Whether the limit was reached; then nothing more is written.
  private(set) var isFull = false

  var room: Int
  let start: Int
  let rewording: Rewording?
  var path: [String]
  private(set) var depth = 0

  mutating func describe(_ value: Any) {
    if isFull { return }
    if let text = rewording?(value, path) { return write(escaped(text)) }
    depth += 1
    defer { depth -= 1 }
    if depth > 64 { return write("…") }
    switch unwrapped(value) {
    case let string as any StringProtocol: describe(text: String(string), quote: "\"", from: start)
    case let character as Character: describe(text: String(character), quote: "\"", from: start)
    case let value:
      if let parts = shownParts(of: value) { return describe(value, parts) }
      let bytes = start > 0 ? bytesText(of: value, from: start) : nil
      describe(text: bytes ?? wholeText(of: value), quote: "", from: bytes == nil ? start : 0)
    }
  }

  private mutating func describe(text: String, quote: String, from start: Int) {
    write(quote + (start > 0 ? "…" : ""))
    var left = text.utf8.count
    for scalar in text.unicodeScalars.dropFirst(start) {
      let isSyntax = !quote.isEmpty && (scalar == "\"" || scalar == "\\")
      write(isSyntax ? "\\\(scalar)" : escaped(scalar))
      if isFull { break }
      left -= UTF8.width(scalar)
    }
    if isFull { missing = "\(grouped(left)) bytes" }
    write(quote)
  }

  private mutating func describe(_ value: Any, _ mirror: Mirror) {
    switch mirror.displayStyle {
    case .dictionary where mirror.children.isEmpty: write("[:]")
    case .collection, .set, .dictionary:
      describeElements(mirror, isUnordered: value is any Unordered)
    case .optional where mirror.children.isEmpty: write("nil")
    case .optional: for child in mirror.children { describeContent(child.value) }
    case .enum: describeCase(value, mirror.children.first)
    default:
      if mirror.displayStyle != .tuple { write(escaped("\(type(of: value))")) }
      describeProperties(of: value, mirror)
    }
  }

  /// Describes an optional's content, so that nil in an optional doesn't read as nil.
  private mutating func describeContent(_ content: Any) {
    if !isNil(content) { return describe(content) }
    write(".some(")
    describe(content)
    write(")")
  }

  private mutating func describeCase(_ value: Any, _ payload: Mirror.Child?) {
    guard let payload else { return write("." + escaped("\(value)")) }
    let parts = Mirror(reflecting: payload.value)
    write("." + escaped(payload.label ?? "") + (parts.displayStyle == .tuple ? "" : "("))
    describe(payload.value, named: payload.label)
    if parts.displayStyle != .tuple { write(")") }
  }

  private mutating func describe(_ value: Any, named name: String?) {
    guard let name else { return describe(value) }
    path.append(name.hasPrefix(".") ? String(name.dropFirst()) : name)
    describe(value)
    path.removeLast()
  }

  private mutating func describeProperties(of value: Any, _ mirror: Mirror) {
    write("(")
    for (index, child) in properties(of: value, mirror).enumerated() {
      if isFull { return }
      if index > 0 { write(", ") }
      if let label = child.label, !label.hasPrefix(".") { write(escaped(label) + ": ") }
      describe(child.value, named: child.label)
    }
    write(")")
  }

  /// Describes the elements of an array, a set or a dictionary; unordered ones sorted, if few.
  private mutating func describeElements(_ mirror: Mirror, isUnordered: Bool = false) {
    let count = mirror.children.count
    let isSorted = isUnordered && count <= 100
    write("[")
    var written = 0
    for child in isSorted ? sorted(mirror.children) : mirror.children {
      if written > 0 { write(", ") }
      describeElement(child.value, isEntry: mirror.displayStyle == .dictionary)
      if isFull { break }
      written += 1
    }
    if isFull { missing = "\(grouped(count - written)) elements" }
    write("]")
  }

  private mutating func describeElement(_ element: Any, isEntry: Bool) {
    let parts = isEntry ? Mirror(reflecting: element).children.map(\.value) : []
    guard let key = parts.first, let value = parts.last else { return describe(element) }
    describe(key)
    write(": ")
    describe(value, named: key as? String)
  }

  /// Sorts by keys or members that can be compared or are cases without payload.
  private func sorted(_ children: Mirror.Children) -> Mirror.Children {
    func key(_ child: Mirror.Child) -> Any {
      let parts = Mirror(reflecting: child.value)
      return parts.displayStyle == .tuple ? parts.children.first?.value ?? child.value : child.value
    }
    func name(_ key: Any) -> String {
      guard let parts = shownParts(of: key) else { return "" }
      return parts.displayStyle == .enum && parts.children.isEmpty ? "\(key)" : ""
    }
    return Mirror.Children(children.sorted { isBefore(key($0), key($1), orBy: name) })
  }

  /// Writes as much of a one-line text as fits.
  private mutating func write(_ part: String) {
    for scalar in part.unicodeScalars {
      if room == 0 { isFull = true }
      if isFull { return }
      text.unicodeScalars.append(scalar)
      room -= 1
    }
  }
}

/// A count with commas between its thousands.
package func grouped(_ count: Int) -> String {
  var digits = Array(String(count))
  for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
  return String(digits)
}
