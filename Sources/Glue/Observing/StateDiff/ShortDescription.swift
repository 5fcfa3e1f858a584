/// Describes a value in one line of a limited length, as it would be written in Swift.
///
/// Structures and objects are written `Todo(id: 1, title: "x")`, cases of enumerations
/// `.loading(query: "x")`. Control characters, and others that are not seen or that change the
/// direction of text, are escaped. What does not fit is left out: "…", with how many elements or
/// bytes of text are missing, where that is known and `limit` is at least 60.
///
/// - Parameters:
///   - value: any value.
///   - limit: how many characters (Unicode scalars) it may have.
/// - Returns: the text.
/// - Complexity: O(`limit`), however large the value is, and if its type describes its parts
///   itself, what that takes. Cycles end at the limit.
package func shortDescription(of value: Any, limit: Int) -> String {
  var whole = Describer(room: limit)
  whole.describe(value)
  if !whole.isFull { return whole.text }
  if limit <= 0 { return "" }
  let reserved = limit < 60 ? 1 : 30
  var start = Describer(room: limit - reserved)
  start.describe(value)
  let missing = limit < 60 ? nil : start.missing
  return start.text + "…" + (missing.map { " (+\($0))" } ?? "")
}

/// A text with everything escaped that could do anything on a terminal.
func escaped(_ text: String) -> String {
  text.unicodeScalars.map(escaped).joined()
}

/// Quotes and backslashes are for whoever writes quotes around it to escape.
private func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\n": return "\\n"
  case "\r": return "\\r"
  case "\t": return "\\t"
  case "\u{200C}", "\u{200D}": return String(scalar)
  default: break
  }
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
    return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
  default: return String(scalar)
  }
}

/// Writes a description until there is no room.
private struct Describer {
  private(set) var text = ""

  /// What of the outermost string or collection was left out.
  private(set) var missing: String?

  /// Whether something did not fit; then nothing more is written.
  private(set) var isFull = false

  private var room: Int
  private var depth = 0

  init(room: Int) {
    self.room = room
  }

  mutating func describe(_ value: Any) {
    if isFull { return }
    depth += 1
    defer { depth -= 1 }
    if depth > 64 { return write("…") }
    switch value {
    case let string as any StringProtocol: describe(string)
    case let character as Character: describe(String(character))
    case let type as Any.Type: write("\(type).self")
    case _ where type(of: value) == AnyHashable.self: describe((value as? AnyHashable)?.base as Any)
    default: describe(value, Mirror(reflecting: value))
    }
  }

  private mutating func describe(_ string: some StringProtocol) {
    write("\"")
    var left = string.utf8.count
    for scalar in string.unicodeScalars {
      write(scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : escaped(scalar))
      if isFull { break }
      left -= String(scalar).utf8.count
    }
    if isFull { missing = "\(grouped(left)) bytes" }
    write("\"")
  }

  private mutating func describe(_ value: Any, _ mirror: Mirror) {
    switch mirror.displayStyle {
    case .collection, .set: describeElements(mirror)
    case .dictionary where mirror.children.isEmpty: write("[:]")
    case .dictionary: describeElements(mirror)
    case .optional where mirror.children.isEmpty: write("nil")
    case .optional: for child in mirror.children { describe(child.value) }
    case .tuple: describeProperties(mirror)
    case .enum: describeCase(value, mirror.children.first)
    default:
      if describesItself(value) || mirror.displayStyle == nil && !(value is any CustomReflectable) {
        write(escaped(String(describing: value)))
      } else {
        write(escaped(String(describing: type(of: value))))
        describeProperties(mirror)
      }
    }
  }

  private mutating func describeCase(_ value: Any, _ payload: Mirror.Child?) {
    guard let payload else {
      return write((value is any CustomStringConvertible ? "" : ".") + escaped("\(value)"))
    }
    write("." + escaped(payload.label ?? ""))
    let parts = Mirror(reflecting: payload.value)
    if parts.displayStyle == .tuple { return describeProperties(parts) }
    write("(")
    describe(payload.value)
    write(")")
  }

  private mutating func describeProperties(_ mirror: Mirror) {
    let children = mirror.superclassMirror == nil ? Array(mirror.children) : properties(mirror)
    write("(")
    for (index, child) in children.enumerated() {
      if isFull { return }
      if index > 0 { write(", ") }
      if let label = child.label, !label.hasPrefix(".") { write(escaped(label) + ": ") }
      describe(child.value)
    }
    write(")")
  }

  /// Writes the elements of an array, a set or a dictionary; those without order sorted, if few.
  private mutating func describeElements(_ mirror: Mirror) {
    let count = mirror.children.count
    let isSorted = mirror.displayStyle != .collection && count <= 100
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
    let parts = isEntry ? elements(Mirror(reflecting: element)) : [element]
    for (index, part) in parts.enumerated() {
      if index > 0 { write(": ") }
      describe(part)
    }
  }

  /// Sorts by keys or members that can be compared or are cases without payload.
  private func sorted(_ children: Mirror.Children) -> Mirror.Children {
    func key(_ child: Mirror.Child) -> Any {
      let parts = Mirror(reflecting: child.value)
      return parts.displayStyle == .tuple ? parts.children.first?.value ?? child.value : child.value
    }
    func name(_ key: Any) -> String {
      let parts = Mirror(reflecting: key)
      return parts.displayStyle == .enum && parts.children.isEmpty ? "\(key)" : ""
    }
    return Mirror.Children(children.sorted { isBefore(key($0), key($1), orBy: name) })
  }

  /// Writes one line's text, or as much of it as there is room for.
  private mutating func write(_ part: String) {
    for scalar in part.unicodeScalars {
      if room == 0 { isFull = true }
      if isFull { return }
      text.unicodeScalars.append(scalar)
      room -= 1
    }
  }
}
