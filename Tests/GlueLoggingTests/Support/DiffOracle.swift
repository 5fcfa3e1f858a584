/// Does to a description what the lines of a diff say.
struct DiffOracle {
  /// A line that is invalid, or describes a part that doesn't exist.
  struct Mistake: Error { let line: String }

  private enum Change {
    case removed
    case added(Shown, at: Int?)
    case moved(Int, Int)
    case changed(Shown, Shown)
  }

  private struct Line {
    let text: String
    let path: [String]
    let change: Change
  }

  /// The description of the value after a change, from that before it.
  ///
  /// Outer collections come first: the paths of what is inside name the positions that result.
  static func apply(_ lines: [String], to old: Shown) throws -> Shown {
    var value = old
    let lines = try lines.map(parse)
    for depth in 0...(lines.map(\.path.count).max() ?? 0) {
      let here = lines.filter { $0.path.count == depth }
      for group in Dictionary(grouping: here.filter(isStructural), by: { $0.path.dropLast() }) {
        try change(&value, group.key) { try rearrange(&$0, group.value) }
      }
    }
    for line in lines where !isStructural(line) { try apply(line, to: &value) }
    return value
  }

  private static func parse(_ text: String) throws -> Line {
    var parser = Parser(text)
    var path: [String] = []
    repeat {
      if parser.skip("[") {
        let step = parser.skip("id: ") ? "[id: " : "["
        path.append(step + parser.value().text + "]")
        guard parser.skip("]") else { throw Mistake(line: text) }
      } else {
        _ = parser.skip(".")
        path.append(parser.word(inPath: true))
      }
    } while !parser.skip(": ")
    return Line(text: text, path: path, change: try change(&parser, text))
  }

  private static func change(_ parser: inout Parser, _ text: String) throws -> Change {
    if parser.skip("removed ") { return .removed }
    if parser.skip("still at ") {
      guard let place = Int(parser.word()), parser.skip(" while others moved past it") else {
        throw Mistake(line: text)
      }
      return .moved(place, place)
    }
    if parser.skip("moved from ") {
      guard let from = Int(parser.word()), parser.skip(" to "), let to = Int(parser.word()) else {
        throw Mistake(line: text)
      }
      return .moved(from, to)
    }
    if parser.skip("added ") {
      let value = parser.value()
      return .added(value, at: parser.skip(" at ") ? Int(parser.word()) : nil)
    }
    let old = parser.value()
    guard parser.skip(" → ") else { throw Mistake(line: text) }
    return .changed(old, parser.value())
  }

  /// Whether it changes which elements there are, and is said of an element.
  private static func isStructural(_ line: Line) -> Bool {
    if case .changed = line.change { return false }
    return line.path.last?.hasPrefix("[") == true
  }

  private static func rearrange(_ value: inout Shown, _ lines: [Line]) throws {
    var parts: [Shown?] = value.parts
    var insertions: [(Int, Shown)] = []
    var unordered: [Shown] = []
    for line in lines {
      let step = line.path.last ?? ""
      switch line.change {
      case .removed: parts[try position(of: step, in: value, line)] = nil
      case .moved(let from, let to):
        guard try position(of: step, in: value, line) == from else {
          throw Mistake(line: line.text)
        }
        parts[from] = nil
        insertions.append((to, value.parts[from]))
      case .added(let part, let position):
        let isTable = if case .table = value { true } else { false }
        let isPosition = Int(step.dropFirst().dropLast()) != nil
        let entry =
          isTable && !isPosition
          ? Shown.entry(Shown(String(step.dropFirst().dropLast())), part) : part
        let place = position ?? (isPosition ? Int(step.dropFirst().dropLast()) : nil)
        if let place { insertions.append((place, entry)) } else { unordered.append(entry) }
      case .changed: break
      }
    }
    var new = parts.compactMap { $0 }
    for (position, part) in insertions.sorted(by: { $0.0 < $1.0 }) {
      guard position <= new.count else { throw Mistake(line: lines.map(\.text).joined()) }
      new.insert(part, at: position)
    }
    if !unordered.isEmpty {
      new = (new + unordered).sorted { $0.parts[0].text < $1.parts[0].text }
    }
    value.parts = new
  }

  private static func apply(_ line: Line, to value: inout Shown) throws {
    try change(&value, line.path[...]) { part in
      switch line.change {
      case .changed(let old, let new):
        guard part.text == old.text else { throw Mistake(line: line.text) }
        part = new
      case .added(let member, _):
        part.parts = (part.parts + [member]).sorted { Int($0.text) ?? 0 < Int($1.text) ?? 0 }
      case .removed:
        guard let index = part.parts.firstIndex(where: { line.text.hasSuffix(" \($0.text)") })
        else { throw Mistake(line: line.text) }
        part.parts.remove(at: index)
      case .moved: throw Mistake(line: line.text)
      }
    }
  }

  /// Follows a path, and changes what is there.
  private static func change(
    _ value: inout Shown, _ path: ArraySlice<String>, _ body: (inout Shown) throws -> Void
  ) throws {
    guard let step = path.first else { return try body(&value) }
    if case .record(let name, let labels, _) = value, name == "." + step, labels != [""] {
      return try change(&value, path.dropFirst(), body)
    }
    let position = try position(of: step, in: value, path)
    let isKey = if case .table = value { Int(step.dropFirst().dropLast()) == nil } else { false }
    if isKey {
      try change(&value.parts[position].parts[1], path.dropFirst(), body)
    } else {
      try change(&value.parts[position], path.dropFirst(), body)
    }
  }

  private static func position(of step: String, in value: Shown, _ context: Any) throws -> Int {
    let content = String(step.dropFirst().dropLast())
    let found: Int? =
      switch value {
      case .leaf: nil
      case .record(let name, let labels, _):
        name == "." + step ? 0 : labels.firstIndex(of: step) ?? Int(step)
      case .list(let elements) where step.hasPrefix("[id: "):
        elements.firstIndex { $0.parts.first?.text == String(content.dropFirst(4)) }
      case .table(let entries) where Int(content) == nil:
        entries.firstIndex { $0.parts[0].text == content }
      case .list, .table: Int(content)
      }
    guard let found, value.parts.indices.contains(found) else {
      throw Mistake(line: "\(step) of \(context) in \(value.text)")
    }
    return found
  }
}
