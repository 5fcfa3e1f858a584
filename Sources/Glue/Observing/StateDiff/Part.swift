/// A part of a value before and after; one of the two is nil if it was added or removed.
struct Part {
  let step: Step
  let old: Any?
  let new: Any?

  init(_ step: Step, _ old: Any?, _ new: Any?) {
    self.step = step
    self.old = old
    self.new = new
  }
}

/// How to get from a value to a part of it.
enum Step {
  /// The part has the path of the whole: a set's member, what an optional holds.
  case same
  case property(String)
  case index(Int)
  case key(Any)
  case id(Any)

  /// The ids of an array in their order, which are reported as they are.
  case order

  fileprivate var text: String {
    switch self {
    case .same: ""
    case .property(let name): "." + escaped(name.hasPrefix(".") ? String(name.dropFirst()) : name)
    case .index(let index): "[\(index)]"
    case .key(let key): "[\(shortDescription(of: key, limit: 60))]"
    case .id(let id): "[id: \(shortDescription(of: id, limit: 60))]"
    case .order: "[order]"
    }
  }
}

/// The text of a path: its first and last 12 steps, if there are more.
func pathText(_ path: [Step]) -> String {
  func text(_ steps: some Sequence<Step>) -> String { steps.map(\.text).joined() }
  let whole = path.count <= 24 ? text(path) : text(path.prefix(12)) + "…" + text(path.suffix(12))
  return whole.hasPrefix(".") ? String(whole.dropFirst()) : whole
}
