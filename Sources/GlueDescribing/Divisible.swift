internal import Glue

/// A collection that finds the parts of it that may have changed.
protocol Divisible {
  /// The parts that may differ from those of another collection of this type.
  func parts(changedTo other: Any, in comparison: Comparison) -> Parts
}

extension Dictionary: Divisible {
  func parts(changedTo other: Any, in comparison: Comparison) -> Parts {
    guard let other = other as? Self else { return { nil } }
    var strays = strays(in: other) { $0.key }
    var parts: [(key: Any, part: (Step, Fate))] = []
    for (key, old) in self {
      let new = other[key] ?? (key == key ? nil : strays[text(key)]?.popLast()?.value)
      if let new, areSameInMemory(old, new) { continue }
      parts.append((key, (.key(key), new.map { .kept(old, $0) } ?? .removed(old))))
    }
    let added = other.filter { $0.key == $0.key && self[$0.key] == nil }
    for (key, new) in Array(added) + strays.values.joined() {
      parts.append((key, (.key(key), .added(new))))
    }
    return each(inOrder(parts))
  }
}

extension Set: Divisible {
  func parts(changedTo other: Any, in comparison: Comparison) -> Parts {
    guard let other = other as? Self else { return { nil } }
    var strays = strays(in: other) { $0 }
    let gone = subtracting(other).filter { $0 == $0 || strays[text($0)]?.popLast() == nil }
    let new = other.subtracting(self).filter { $0 == $0 } + strays.values.joined()
    let removed = gone.map { (key: $0, part: (Step.same, Fate.removed($0))) }
    let added = new.map { (key: $0, part: (Step.same, Fate.added($0))) }
    return each(inOrder(removed) + inOrder(added))
  }
}

/// The parts that no lookup finds because their keys are not equal to themselves, such as NaN, by
/// the texts of their keys.
private func strays<Part, Key: Equatable>(
  in parts: some Sequence<Part>, by key: (Part) -> Key
) -> [String: [Part]] {
  Dictionary(grouping: parts.filter { key($0) != key($0) }) { text(key($0)) }
}

private func text(_ key: Any) -> String { shortDescription(of: key, limit: 100) }

/// Orders the parts of an unordered collection, unless that takes more than linear time.
private func inOrder<Key>(_ parts: [(key: Key, part: (Step, Fate))]) -> [(Step, Fate)] {
  if parts.count > 1000 { return parts.map(\.part) }
  return parts.sorted { isBefore($0.key, $1.key, orBy: text) }.map(\.part)
}
