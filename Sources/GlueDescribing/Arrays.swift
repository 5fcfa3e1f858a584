internal import Glue

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
    let budget = comparison.limit == 0 ? 0 : areEqual == nil ? 10_000 : 1 << 17
    let alignment = align(old, new, budget: budget) { i, j in
      if areSameInMemory(self[i], other[j]) { return true }
      return areEqual?(i, j) ?? comparison.areSame(self[i], other[j]) ?? false
    }
    var (i, j) = (old.lowerBound, new.lowerBound)
    var (removed, added) = (alignment.removed[...], alignment.added[...])
    return {
      while i < old.upperBound || j < new.upperBound {
        if let rest = alignment.rest(at: i, j) {
          (i, j) = (rest.old.upperBound, rest.new.upperBound)
          return (.same, .told(.replaced(rest.old.count, by: rest.new.count)))
        }
        let isRemoved = removed.first == i
        let isAdded = added.first == j
        defer {
          if isRemoved || !isAdded { i += 1 }
          if isAdded || !isRemoved { j += 1 }
        }
        if isRemoved { removed.removeFirst() }
        if isAdded { added.removeFirst() }
        if isRemoved, !isAdded { return (.index(i), .removed(self[i])) }
        if isAdded, !isRemoved { return (.index(j), .added(other[j])) }
        if areSameInMemory(self[i], other[j]) { continue }
        if comparison.isTired, areEqual?(i, j) == true { continue }
        return (.index(j), .kept(self[i], other[j]))
      }
      return nil
    }
  }

  /// The parts by their ids.
  ///
  /// It is nil if the elements are of several types or objects, and if there are more than 10,000.
  private func parts<E: Identifiable>(byIDsOf _: E, changedTo other: Self) -> Parts? {
    guard !(E.self is AnyClass), Swift.max(count, other.count) <= 10_000,
      let old = self as Any as? [E], let new = other as Any as? [E]
    else { return nil }
    return keyedParts(old, old.map(\.id), changedTo: new, new.map(\.id)) { .id($0, of: $1) }
  }

  /// The ranges between the elements that have the same bytes at both ends.
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

/// The parts that a mirror shows as entries in order; nil if their keys don't distinguish them.
func entryParts(_ old: [Any], changedTo new: [Any]) -> Parts? {
  func entries(_ elements: [Any]) -> (keys: [AnyHashable], values: [Any]) {
    let entries = elements.map { Array(Mirror(reflecting: $0).children) }
    return (
      entries.compactMap { $0.first?.value as? AnyHashable }, entries.compactMap { $0.last?.value }
    )
  }
  let (old, new) = (entries(old), entries(new))
  return keyedParts(old.values, old.keys, changedTo: new.values, new.keys) { key, _ in .key(key) }
}

/// Removed parts; then added, moved and possibly changed ones, in the new order.
///
/// It is nil unless each value has a unique key that is equal to itself, unlike NaN.
private func keyedParts<Value, Key: Hashable>(
  _ old: [Value], _ oldKeys: [Key], changedTo new: [Value], _ newKeys: [Key],
  step: (Key, Value) -> Step
) -> Parts? {
  let before = Dictionary(zip(oldKeys, 0...)) { first, _ in first }
  let after = Dictionary(zip(newKeys, 0...)) { first, _ in first }
  guard before.count == old.count, after.count == new.count, oldKeys.allSatisfy({ $0 == $0 })
  else { return nil }
  let staying = newKeys.compactMap { before[$0] }
  let inOrder = longestAscent(in: staying)
  var parts = zip(oldKeys, old).filter { after[$0.0] == nil }
    .map { (step($0.0, $0.1), Fate.removed($0.1)) }
  for (position, (key, value)) in zip(newKeys, new).enumerated() {
    if let origin = before[key] {
      if !inOrder.contains(origin) {
        parts.append((step(key, value), .told(.moved(from: origin, to: position))))
      }
      if !areSameInMemory(old[origin], value) {
        parts.append((step(key, value), .kept(old[origin], value)))
      }
    } else {
      parts.append((step(key, value), .added(value, at: position)))
    }
  }
  return each(parts)
}

/// Aligns two ranges of arrays, unless comparing them by position shows as much.
private func align(
  _ old: Range<Int>, _ new: Range<Int>, budget: Int, by areSame: (Int, Int) -> Bool
) -> Alignment {
  let byPosition = Alignment(replacing: old, by: new)
  if budget == 0 || old.count == new.count && old.count <= 4 { return byPosition }
  let alignment = Alignment(from: old, to: new, budget: budget, by: areSame)
  if !alignment.isCut, old.count != new.count { return alignment }
  let edits = alignment.removed.count + alignment.added.count
  let unknown = alignment.rest.old.count + alignment.rest.new.count
  return 4 * edits < old.count + new.count - unknown ? alignment : byPosition
}

/// The longest ascending subsequence of distinct numbers.
///
/// - Complexity: O(*n* log *n*).
private func longestAscent(in numbers: [Int]) -> Set<Int> {
  // The smallest end of an ascent of each length, and each number's predecessor in its longest.
  var ends: [Int] = []
  var previous: [Int: Int] = [:]
  for number in numbers {
    var range = 0..<ends.count
    while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
      range = ends[middle] < number ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
    }
    if range.lowerBound > 0 { previous[number] = ends[range.lowerBound - 1] }
    ends.replaceSubrange(range.lowerBound..<min(range.lowerBound + 1, ends.count), with: [number])
  }
  return Set(
    sequence(state: ends.last) { number in
      defer { number = number.flatMap { previous[$0] } }
      return number
    })
}
