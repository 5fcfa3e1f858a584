package import GlueDescribing

/// A value as a JSON tree.
///
/// A part without parts is `[step, text]`. Any other is `[step, text, kind, parts, count]`, with
/// the number of parts left out as `count`.
///
/// A step extends the path of a difference from the whole to the part. It is empty for an element
/// known only by its position, and for members of sets, which are texts. The tree does not look
/// into objects, nor into values that describe themselves.
package struct StateTree {
  package private(set) var json = ""
  private let rewording: Rewording?

  /// How many more parts the tree may have.
  package private(set) var room: Int

  /// Whether the value has neither parts nor a step.
  package private(set) var isText = true

  /// How many elements of a collection, and how many characters of a text, the tree shows.
  private static let elementLimit = 200
  static let textLimit = 200

  package init(
    of value: Any, at path: [String] = [], room: Int = 2000, rewording: Rewording?
  ) {
    self.rewording = rewording
    self.room = room
    let step = step(to: value, at: path)
    isText = step.isEmpty
    add(Child(step: step, value: value), path: path)
  }

  private mutating func add(_ child: Child, path: [String]) {
    let value = unwrapped(child.value)
    json += "[\(quoted(child.step)),"
    defer { json += "]" }
    room -= 1
    guard room > 0, path.count < 30, rewording?(value, path) == nil,
      let parts = shownParts(of: value), parts.displayStyle != .optional,
      !parts.children.isEmpty || parts.isCollection
    else {
      return addText(of: value, path: path)
    }
    add(children(of: value, parts, path: path), path: path)
  }

  private mutating func addText(of value: Any, path: [String]) {
    json += quoted(
      shortDescription(of: value, limit: Self.textLimit, rewording: rewording, at: path))
  }

  private mutating func add(_ children: Children, path: [String]) {
    isText = false
    json += "\(quoted(children.text)),\"\(children.kind)\",["
    for (index, child) in children.list.enumerated() {
      if index > 0 { json += "," }
      if children.kind == "s" {
        addMember(child.value, path: path)
      } else {
        add(child, path: path + (child.name.map { [$0] } ?? []))
      }
    }
    json += "],\(children.more)"
  }

  private mutating func addMember(_ member: Any, path: [String]) {
    json += "[\"\","
    addText(of: member, path: path)
    json += "]"
  }

  private func children(of value: Any, _ parts: Mirror, path: [String]) -> Children {
    let most = min(Self.elementLimit, room)
    let more = max(0, parts.children.count - most)
    switch parts.displayStyle {
    case .collection:
      let list = parts.children.prefix(most).map {
        Child(step: step(to: $0.value, at: path), value: $0.value)
      }
      return Children(kind: "a", list: list, more: more)
    case .set:
      let list = parts.children.prefix(most).map { Child(step: "", value: $0.value) }
      return Children(kind: "s", list: list, more: more)
    case .dictionary:
      let list = parts.children.prefix(most).map { entry($0.value) }
      return Children(kind: "d", list: list.sorted { $0.step < $1.step }, more: more)
    case .enum:
      let label = parts.children.first?.label ?? ""
      return Children(text: "." + escaped(label), kind: "e", list: parts.children.map(Child.init))
    default:
      let text = parts.displayStyle == .tuple ? "" : escaped("\(type(of: value))")
      let list = zip(0..., properties(of: value, parts)).map { index, part in
        part.label == nil ? Child(step: "[\(index)]", value: part.value) : Child(part)
      }
      return Children(text: text, kind: "p", list: list)
    }
  }

  /// The step to an element by its id; empty if it has none.
  private func step(to element: Any, at path: [String]) -> String {
    func id(of element: some Identifiable) -> Any { element.id }
    guard let element = element as? any Identifiable, !(type(of: element) is AnyClass) else {
      return ""
    }
    return "[id: \(idText(id(of: element), of: element, rewording: rewording, at: path))]"
  }

  private func entry(_ entry: Any) -> Child {
    let parts = Array(Mirror(reflecting: entry).children)
    guard let key = parts.first?.value, let value = parts.last?.value else {
      return Child(step: "", value: entry)
    }
    return Child(
      step: "[\(shortDescription(of: key, limit: 60, rewording: rewording))]",
      name: unwrapped(key) as? String, value: value)
  }
}

/// A part, with the name by which redactions find it, if any.
private struct Child {
  let step: String
  var name: String?
  let value: Any

  init(step: String, name: String? = nil, value: Any) {
    self.step = step
    self.name = name
    self.value = value
  }

  init(_ property: Mirror.Child) {
    let label = property.label ?? ""
    let name = label.hasPrefix(".") ? String(label.dropFirst()) : label
    self.init(step: "." + escaped(name), name: name, value: property.value)
  }
}

private struct Children {
  var text = ""
  let kind: String
  let list: [Child]
  var more = 0
}

/// Unwraps optionals and erased values.
///
/// An optional that holds nil stays.
private func unwrapped(_ value: Any) -> Any {
  if type(of: value) == AnyHashable.self, let erased = value as? AnyHashable {
    return unwrapped(erased.base)
  }
  let parts = shownParts(of: value)
  guard parts?.displayStyle == .optional, let payload = parts?.children.first,
    !isNil(payload.value)
  else { return value }
  return unwrapped(payload.value)
}

extension Mirror {
  /// Whether the value is a collection, which may be empty.
  fileprivate var isCollection: Bool {
    switch displayStyle {
    case .collection, .set, .dictionary: true
    default: false
    }
  }
}
