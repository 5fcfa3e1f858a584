internal import Glue
internal import GlueDescribing

/// The path of an object in a state, with the object's type; nil if none is found among a thousand
/// parts.
///
/// An object is the same as itself, however it has changed.
func object(in state: Any) -> String? {
  var pending: [(path: String, value: Any)] = [("", state)]
  var index = 0
  while index < pending.count, index < 1_000 {
    let (path, value) = pending[index]
    index += 1
    if type(of: value) is AnyClass {
      if value is AnyKeyPath { continue }
      return "\(type(of: value))" + (path.isEmpty ? "" : " at `\(path)`")
    }
    let isOptional = value is any ExpressibleByNilLiteral
    for (number, part) in (shownParts(of: value)?.children ?? .init([])).prefix(1_000).enumerated()
    {
      let step = isOptional ? "" : part.label.map { ".\($0)" } ?? "[\(number)]"
      pending.append((path.isEmpty ? String(step.drop { $0 == "." }) : path + step, part.value))
    }
  }
  return nil
}

/// A note that comparisons don't see changes in an object.
func blindness(to object: String) -> String {
  "The state refers to an object, \(object): tests don't see changes in it. Use values instead."
}

/// The types of states whose objects a test was warned of.
private let warned = Locked<Set<ObjectIdentifier>>([])

/// Warns, once for each type of states, of an object in a state under test.
func warnOfObjects<State>(in state: State, at place: Place) {
  let isFirst = warned.withLock { $0.insert(ObjectIdentifier(State.self)).inserted }
  guard isFirst, let object = object(in: state) else { return }
  Failure(message: blindness(to: object), place: place, isWarning: true).report(to: .current)
}
