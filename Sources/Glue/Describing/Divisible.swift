/// A collection that finds what may have changed in it.
protocol Divisible {
  /// The parts that may differ from those of another collection of this type.
  func parts(changedTo other: Any, in comparison: inout Comparison) -> Parts
}

extension Dictionary: Divisible {
  func parts(changedTo other: Any, in comparison: inout Comparison) -> Parts {
    guard let other = other as? Self else { return { nil } }
    var found: [(key: Key, part: Part)] = []
    for (key, value) in self {
      guard let new = other.index(forKey: key).map({ other.values[$0] }) else {
        found.append((key, .removed(.key(key), value)))
        continue
      }
      if !areSameInMemory(value, new) { found.append((key, .kept(.key(key), value, new))) }
    }
    for (key, value) in other where index(forKey: key) == nil {
      found.append((key, .added(.key(key), value)))
    }
    return each(inOrder(found))
  }
}

extension Set: Divisible {
  func parts(changedTo other: Any, in comparison: inout Comparison) -> Parts {
    guard let other = other as? Self else { return { nil } }
    let removed = subtracting(other).map { ($0, Part.removed(.same, $0)) }
    let added = other.subtracting(self).map { ($0, Part.added(.same, $0)) }
    return each(inOrder(removed) + inOrder(added))
  }
}

/// Puts the parts of a collection without order into one, unless that takes more than linear time.
private func inOrder<Key>(_ parts: [(key: Key, part: Part)]) -> [Part] {
  if parts.count > 1000 { return parts.map(\.part) }
  func text(_ key: Any) -> String { shortDescription(of: key, limit: 100) }
  return parts.sorted { isBefore($0.key, $1.key, orBy: text) }.map(\.part)
}
