/// A collection that finds its elements that differ.
protocol Divisible {
  /// The elements that may differ from those of another collection of this type.
  func parts(changedTo other: Any, in comparison: inout Comparison) -> [Part]
}

extension Dictionary: Divisible {
  func parts(changedTo other: Any, in comparison: inout Comparison) -> [Part] {
    guard let other = other as? Self else { return [] }
    var parts: [(key: Key, part: Part)] = []
    for (key, value) in self {
      guard let index = other.index(forKey: key) else {
        parts.append((key, Part(.key(key), value, nil)))
        continue
      }
      let new = other.values[index]
      if !areSameInMemory(value, new) { parts.append((key, Part(.key(key), value, new))) }
    }
    for (key, value) in other where index(forKey: key) == nil {
      parts.append((key, Part(.key(key), nil, value)))
    }
    return inOrder(parts)
  }
}

extension Set: Divisible {
  func parts(changedTo other: Any, in comparison: inout Comparison) -> [Part] {
    guard let other = other as? Self else { return [] }
    let removed = subtracting(other).map { ($0, Part(.same, $0, nil)) }
    let added = other.subtracting(self).map { ($0, Part(.same, nil, $0)) }
    return inOrder(removed) + inOrder(added)
  }
}

/// Puts the parts of a collection without order into one, unless that takes more than linear time.
private func inOrder<Key>(_ parts: [(key: Key, part: Part)]) -> [Part] {
  if parts.count > 1000 { return parts.map(\.part) }
  func text(_ key: Any) -> String { shortDescription(of: key, limit: 100) }
  return parts.sorted { isBefore($0.key, $1.key, orBy: text) }.map(\.part)
}

extension Array: Divisible {
  func parts(changedTo other: Any, in comparison: inout Comparison) -> [Part] {
    guard let other = other as? Self else { return [] }
    if count != other.count { return parts(resizedTo: other, in: &comparison) }
    let changed = withMemory(of: other) { areSame in indices.filter { !areSame($0, $0) } }
    let old: [Any] = changed.map { self[$0] }
    let new: [Any] = changed.map { other[$0] }
    if let old = Identified(old), let new = Identified(new) { return old.parts(changedTo: new) }
    return changed.indices.map { Part(.index(changed[$0]), old[$0], new[$0]) }
  }

  private func parts(resizedTo other: Self, in comparison: inout Comparison) -> [Part] {
    let (start, end) = withMemory(of: other) { commonEnds(with: other, areSame: $0) }
    let old: [Any] = self[start..<(count - end)].map { $0 }
    let new: [Any] = other[start..<(other.count - end)].map { $0 }
    if let old = Identified(old), let new = Identified(new) { return old.parts(changedTo: new) }
    if comparison.isProbe { return [Part(.same, old, nil)] }
    var alignment = Alignment(old, new, start: start)
    return alignment.parts(in: &comparison)
  }

  /// How many elements at the start and at the end are the same.
  private func commonEnds(with other: Self, areSame: (Int, Int) -> Bool) -> (start: Int, end: Int) {
    let most = Swift.min(count, other.count)
    var start = 0
    while start < most, areSame(start, start) { start += 1 }
    var end = 0
    while end < most - start, areSame(count - 1 - end, other.count - 1 - end) { end += 1 }
    return (start, end)
  }

  /// Hands out a function that tells whether an element here and one there are the same in memory.
  private func withMemory<Result>(of other: Self, _ body: ((Int, Int) -> Bool) -> Result) -> Result
  {
    let size = MemoryLayout<Element>.size
    let stride = MemoryLayout<Element>.stride
    return withUnsafeBytes { old in
      other.withUnsafeBytes { new in
        body { areSame(old, new, from: $0 * stride, from: $1 * stride, count: size) }
      }
    }
  }
}
