/// A value as its description shows it, so that what a diff says can be done to it.
///
/// It knows nothing of the value itself: the description is parsed, and written again at the end.
indirect enum Shown: Equatable {
  case leaf(String)
  case list([Shown])

  /// Entries, each a record with a key and a value.
  case table([Shown])
  case record(name: String, labels: [String], parts: [Shown])

  init(_ text: String) {
    var parser = Parser(text)
    self = parser.value()
  }

  static func entry(_ key: Shown, _ value: Shown) -> Shown {
    .record(name: "", labels: ["key", "value"], parts: [key, value])
  }

  var text: String {
    switch self {
    case .leaf(let text): return text
    case .list(let elements): return "[" + elements.map(\.text).joined(separator: ", ") + "]"
    case .table(let entries) where entries.isEmpty: return "[:]"
    case .table(let entries):
      let texts = entries.map { "\($0.parts[0].text): \($0.parts[1].text)" }
      return "[" + texts.joined(separator: ", ") + "]"
    case .record(let name, let labels, let parts):
      let texts = zip(labels, parts).map { $0.isEmpty ? $1.text : "\($0): \($1.text)" }
      return name + "(" + texts.joined(separator: ", ") + ")"
    }
  }

  var parts: [Shown] {
    get {
      switch self {
      case .leaf: []
      case .list(let parts), .table(let parts), .record(_, _, let parts): parts
      }
    }
    set {
      switch self {
      case .leaf: break
      case .list: self = .list(newValue)
      case .table: self = .table(newValue)
      case .record(let name, let labels, _):
        self = .record(name: name, labels: labels, parts: newValue)
      }
    }
  }
}

/// Reads values, and lines of a diff.
struct Parser {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func skip(_ text: String) -> Bool {
    if !bytes[position...].starts(with: text.utf8) { return false }
    position += text.utf8.count
    return true
  }

  mutating func value() -> Shown {
    if skip("[:]") { return .table([]) }
    if skip("[") { return elements() }
    if skip("\"") { return .leaf("\"" + quoted()) }
    let name = word()
    return skip("(") ? record(name) : .leaf(name)
  }

  /// The text before any of the signs that structure a description or, in a path, a dot.
  mutating func word(inPath: Bool = false) -> String {
    let signs = Array("(),[]: ".utf8) + (inPath ? [UInt8(ascii: ".")] : [])
    return text { signs.contains($0) }
  }

  private mutating func quoted() -> String {
    var isEscaped = false
    let content = text { byte in
      defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
      return byte == UInt8(ascii: "\"") && !isEscaped
    }
    position += 1
    return content + "\""
  }

  private mutating func text(until isEnd: (UInt8) -> Bool) -> String {
    let start = position
    while position < bytes.count, !isEnd(bytes[position]) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func elements() -> Shown {
    var (parts, isTable) = ([Shown](), false)
    while !skip("]") {
      _ = skip(", ")
      let part = value()
      isTable = skip(": ")
      parts.append(isTable ? .entry(part, value()) : part)
    }
    return isTable ? .table(parts) : .list(parts)
  }

  private mutating func record(_ name: String) -> Shown {
    var (labels, parts) = ([String](), [Shown]())
    while !skip(")") {
      _ = skip(", ")
      let part = value()
      let isLabel = skip(": ")
      labels.append(isLabel ? part.text : "")
      parts.append(isLabel ? value() : part)
    }
    return .record(name: name, labels: labels, parts: parts)
  }
}
