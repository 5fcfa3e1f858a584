/// A collection that finds what may have changed in it.
protocol Divisible {
  /// The parts that may differ from those of another collection of this type.
  func parts(changedTo other: Any, in comparison: Comparison) -> Parts
}

extension Dictionary: Divisible {
  func parts(changedTo other: Any, in comparison: Comparison) -> Parts {
    guard let other = other as? Self else { return { nil } }
    var parts: [(key: Any, part: (Step, Fate))] = []
    for (key, old) in self {
      let new = other[key]
      if let new, areSameInMemory(old, new) { continue }
      parts.append((key, (.key(key), new.map { .kept(old, $0) } ?? .removed(old))))
    }
    for (key, new) in other where self[key] == nil { parts.append((key, (.key(key), .added(new)))) }
    return each(inOrder(parts))
  }
}

extension Set: Divisible {
  func parts(changedTo other: Any, in comparison: Comparison) -> Parts {
    guard let other = other as? Self else { return { nil } }
    let removed = subtracting(other).map { (key: $0, part: (Step.same, Fate.removed($0))) }
    let added = other.subtracting(self).map { (key: $0, part: (Step.same, Fate.added($0))) }
    return each(inOrder(removed) + inOrder(added))
  }
}

/// Puts the parts of a collection without order into one, unless that takes more than linear time.
private func inOrder<Key>(_ parts: [(key: Key, part: (Step, Fate))]) -> [(Step, Fate)] {
  if parts.count > 1000 { return parts.map(\.part) }
  func text(_ key: Any) -> String { shortDescription(of: key, limit: 100) }
  return parts.sorted { isBefore($0.key, $1.key, orBy: text) }.map(\.part)
}
