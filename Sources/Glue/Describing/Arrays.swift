extension Array: Divisible {
  func parts(changedTo other: Any, in comparison: inout Comparison) -> Parts {
    guard let other = other as? Self else { return { nil } }
    if let old = Keyed(ids: self), let new = Keyed(ids: other) {
      return each(old.parts(changedTo: new, step: Step.id))
    }
    let (old, new) = middles(other)
    if old.isEmpty || new.isEmpty
      || old.count == new.count && (comparison.isProbe || old.count <= 4)
    {
      return parts(old, new, other, nil)
    }
    let areEqual = equality(with: other)
    let difference =
      comparison.isProbe
      ? nil
      : align(old, new) { i, j in
        if areSameInMemory(self[i], other[j]) { return true }
        return areEqual?(i, j) ?? comparison.areSame(self[i], other[j])
      }
    if old.count == new.count, 2 * (difference?.count ?? old.count) >= old.count {
      return parts(old, new, other, nil)  // By position, as that takes about as many lines.
    }
    return difference.map { parts(old, new, other, $0) }
      ?? each([.told(.same, .replaced(old.count, by: new.count))])
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

  /// Whether elements at two positions are equal, if they are `Equatable`.
  private func equality(with other: Self) -> ((Int, Int) -> Bool)? {
    func equality<E: Equatable>(_: E.Type) -> ((Int, Int) -> Bool)? {
      guard let old = self as Any as? [E], let new = other as Any as? [E] else { return nil }
      return { old[$0] == new[$1] }
    }
    return (Element.self as? any Equatable.Type).flatMap { equality($0) }
  }

  /// The parts where elements are removed and added as a difference says; what is both at one place
  /// has changed, as may have what is neither.
  private func parts(
    _ old: Range<Int>, _ new: Range<Int>, _ other: Self, _ difference: CollectionDifference<Int>?
  ) -> Parts {
    let removals = Set(difference?.removals.map(\.element) ?? [])
    let insertions = Set(difference?.insertions.map(\.element) ?? [])
    var (i, j) = (old.lowerBound, new.lowerBound)
    return {
      while i < old.upperBound || j < new.upperBound {
        let isRemoved = removals.contains(i) || j >= new.upperBound
        let isAdded = insertions.contains(j) || i >= old.upperBound
        defer {
          if isRemoved || !isAdded { i += 1 }
          if isAdded || !isRemoved { j += 1 }
        }
        if isRemoved, !isAdded { return .removed(.index(i), self[i]) }
        if isAdded, !isRemoved { return .added(.index(j), other[j]) }
        if !areSameInMemory(self[i], other[j]) { return .kept(.index(j), self[i], other[j]) }
      }
      return nil
    }
  }
}

/// The positions at which arrays differ; nil if there are many more in one, or if more than 10,000
/// tests, and a few of each element, would be needed.
private func align(
  _ old: Range<Int>, _ new: Range<Int>, _ areSame: (Int, Int) -> Bool
) -> CollectionDifference<Int>? {
  if abs(old.count - new.count) > 1000 { return nil }
  var (hits, misses) = (4 * (old.count + new.count), 10_000)
  let difference = new.difference(from: old) { i, j in
    if hits == 0 || misses == 0 { return true }  // So that it ends soon.
    let isSame = areSame(i, j)
    if isSame { hits -= 1 } else { misses -= 1 }
    return isSame
  }
  return hits == 0 || misses == 0 ? nil : difference
}

extension CollectionDifference.Change {
  fileprivate var element: ChangeElement {
    switch self {
    case .insert(_, let element, _), .remove(_, let element, _): element
    }
  }
}
