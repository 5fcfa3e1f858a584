internal import Glue

/// How a part of a value has changed.
enum Fate {
  case kept(Any, Any)
  case removed(Any)

  /// With the position of a part that has none in its path.
  case added(Any, at: Int? = nil)

  /// A change that is known without comparing the part.
  case told(Difference.Change)

  /// The whole, which is not equal although no part that it shows differs.
  case unequal(Any, Any)
}

/// Gives the parts of a value that may have changed, one at a time.
typealias Parts = () -> (Step, Fate)?

func each(_ parts: [(Step, Fate)]) -> Parts {
  var iterator = parts.makeIterator()
  return { iterator.next() }
}

/// How to get from a value to a part of it.
enum Step {
  /// The part has the path of the whole: a set's member, or an optional's content.
  case same
  case property(String)
  case index(Int)
  case key(Any)
  case id(Any, of: Any)

  /// The part's name, if it has one.
  var name: String? {
    switch self {
    case .property(let name): name.hasPrefix(".") ? String(name.dropFirst()) : name
    case .key(let key): unwrapped(key) as? String
    default: nil
    }
  }

  fileprivate func text(_ rewording: Rewording?, after path: ArraySlice<Step>) -> String {
    switch self {
    case .same: ""
    case .property: "." + escaped(name ?? "")
    case .index(let index): "[\(index)]"
    case .key(let key): "[\(shortDescription(of: key, limit: 60, rewording: rewording))]"
    case .id(let id, let element):
      "[id: \(idText(id, of: element, rewording: rewording, at: path.compactMap(\.name)))]"
    }
  }
}

/// The text of a path: its first and last 12 steps, if there are more.
func pathText(_ path: [Step], _ rewording: Rewording?) -> String {
  func text(_ steps: Range<Int>) -> String {
    steps.map { path[$0].text(rewording, after: path[..<$0]) }.joined()
  }
  let count = path.count
  let whole = count <= 24 ? text(0..<count) : text(0..<12) + "…" + text((count - 12)..<count)
  return whole.hasPrefix(".") ? String(whole.dropFirst()) : whole
}
