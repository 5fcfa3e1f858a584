extension Array: Divisible {
  func parts(changedTo other: Any, in comparison: Comparison) -> Parts {
    guard let other = other as? Self else { return { nil } }
    if comparison.limit > 0, let sample = (first ?? other.first) as? any Identifiable,
      let parts = parts(byIDsOf: sample, changedTo: other)
    {
      return parts
    }
    let (old, new) = middles(other)
    let areEqual = equality(with: other)
    var changes: Changes? = ([], [])
    if comparison.limit > 0, !old.isEmpty, !new.isEmpty, old.count != new.count || old.count > 4 {
      changes = align(Array<Int>(old), Array<Int>(new), misses: 10_000) { i, j in
        if areSameInMemory(self[i], other[j]) { return true }
        return areEqual?(i, j) ?? comparison.areSame(self[i], other[j]) ?? false
      }
      let count = changes.map { $0.removed.count + $0.added.count } ?? old.count
      if old.count == new.count, 2 * count >= old.count { changes = ([], []) }
    }
    guard let changes else { return each([(.same, .told(.replaced(old.count, by: new.count)))]) }
    var (i, j) = (old.lowerBound, new.lowerBound)
    return {
      while i < old.upperBound || j < new.upperBound {
        let isRemoved = changes.removed.contains(i) || j >= new.upperBound
        let isAdded = changes.added.contains(j) || i >= old.upperBound
        defer {
          if isRemoved || !isAdded { i += 1 }
          if isAdded || !isRemoved { j += 1 }
        }
        if isRemoved, !isAdded { return (.index(i), .removed(self[i])) }
        if isAdded, !isRemoved { return (.index(j), .added(other[j])) }
        if areSameInMemory(self[i], other[j]) { continue }
        if comparison.isTired, areEqual?(i, j) == true { continue }
        return (.index(j), .kept(self[i], other[j]))
      }
      return nil
    }
  }

  /// The parts by their ids; nil if the elements are of more types than one, if they are objects,
  /// and if there are more than 10,000.
  private func parts<E: Identifiable>(byIDsOf _: E, changedTo other: Self) -> Parts? {
    guard !(E.self is AnyClass), Swift.max(count, other.count) <= 10_000,
      let old = self as Any as? [E], let new = other as Any as? [E]
    else { return nil }
    return keyedParts(old, old.map(\.id), changedTo: new, new.map(\.id), step: Step.id)
  }

  /// What is between the elements that are the same in memory at both ends.
  private func middles(_ other: Self) -> (Range<Int>, Range<Int>) {
    let most = Swift.min(count, other.count)
    var (start, end) = (0, 0)
    while start < most, areSameInMemory(self[start], other[start]) { start += 1 }
    while end < most - start, areSameInMemory(self[count - 1 - end], other[other.count - 1 - end]) {
      end += 1
    }
    return (start..<(count - end), start..<(other.count - end))
  }

  /// Whether elements at two positions are equal, if they are of one type that is `Equatable`.
  private func equality(with other: Self) -> ((Int, Int) -> Bool)? {
    func equality<E: Equatable>(like _: E) -> ((Int, Int) -> Bool)? {
      guard let old = self as Any as? [E], let new = other as Any as? [E] else { return nil }
      return { old[$0] == new[$1] }
    }
    return (first as? any Equatable).flatMap { equality(like: $0) }
  }
}

/// The parts of what a mirror shows as entries in order; nil if their keys can't tell them apart.
func entryParts(_ old: [Any], changedTo new: [Any]) -> Parts? {
  func entries(_ elements: [Any]) -> (keys: [AnyHashable], values: [Any]) {
    let entries = elements.map { Array(Mirror(reflecting: $0).children) }
    return (
      entries.compactMap { $0.first?.value as? AnyHashable }, entries.compactMap { $0.last?.value }
    )
  }
  let (old, new) = (entries(old), entries(new))
  return keyedParts(old.values, old.keys, changedTo: new.values, new.keys, step: Step.key)
}

/// What was removed; then what was added, moved or may have changed, in the new order; nil unless
/// each value has a key that no other has.
private func keyedParts<Value, Key: Hashable>(
  _ old: [Value], _ oldKeys: [Key], changedTo new: [Value], _ newKeys: [Key],
  step: (Any) -> Step
) -> Parts? {
  let before = Dictionary(zip(oldKeys, 0...)) { first, _ in first }
  let after = Dictionary(zip(newKeys, 0...)) { first, _ in first }
  guard before.count == old.count, after.count == new.count else { return nil }
  let staying = newKeys.compactMap { before[$0] }
  let moved = align(staying, staying.sorted(), misses: 1_000_000, ==)?.removed ?? Set(staying)
  var parts = zip(oldKeys, old).filter { after[$0.0] == nil }
    .map { (step($0.0), Fate.removed($0.1)) }
  for (position, (key, value)) in zip(newKeys, new).enumerated() {
    if let origin = before[key] {
      if moved.contains(origin) {
        parts.append((step(key), .told(.moved(from: origin, to: position))))
      }
      if !areSameInMemory(old[origin], value) {
        parts.append((step(key), .kept(old[origin], value)))
      }
    } else {
      parts.append((step(key), .added(value, at: position)))
    }
  }
  return each(parts)
}

/// The elements that one array loses to another, and those that it gains.
private typealias Changes = (removed: Set<Int>, added: Set<Int>)

/// How to get from one array to another; nil if there are many more elements in one, or if more
/// than so many tests fail, or a few for each element succeed.
private func align(
  _ old: [Int], _ new: [Int], misses: Int, _ areSame: (Int, Int) -> Bool
) -> Changes? {
  if abs(old.count - new.count) > 1000 { return nil }
  var (hits, misses) = (4 * (old.count + new.count), misses)
  let difference = new.difference(from: old) { i, j in
    if hits == 0 || misses == 0 { return true }  // So that it ends soon.
    let isSame = areSame(i, j)
    if isSame { hits -= 1 } else { misses -= 1 }
    return isSame
  }
  if hits == 0 || misses == 0 { return nil }
  var changes: Changes = ([], [])
  for case .remove(_, let element, _) in difference { changes.removed.insert(element) }
  for case .insert(_, let element, _) in difference { changes.added.insert(element) }
  return changes
}
