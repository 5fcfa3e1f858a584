/// Values in order, each with a key that no other has: elements by their ids, or entries.
struct Keyed {
  private let keys: [AnyHashable]
  private let values: [Any]
  private let positions: [AnyHashable: Int]

  private init?(_ keys: [AnyHashable], _ values: [Any]) {
    self.keys = keys
    self.values = values
    positions = Dictionary(zip(keys, 0...)) { first, _ in first }
    if keys.count != values.count || positions.count < keys.count { return nil }
  }

  /// Finds the elements' ids; nil if one has none, or that of another, if one is an object, and if
  /// there are more than 10,000.
  init?(ids elements: [some Any]) {
    if elements.count > 10_000 { return nil }
    var ids: [AnyHashable] = []
    for element in elements {
      guard let element = element as? any Identifiable, !(type(of: element) is AnyClass) else {
        return nil
      }
      ids.append(Self.id(of: element))
    }
    self.init(ids, elements)
  }

  /// Finds the keys of what a mirror shows as a dictionary; nil if one can't be one, or is there
  /// twice.
  init?(entries: Mirror) {
    let parts = entries.children.map { Array(Mirror(reflecting: $0.value).children) }
    self.init(
      parts.compactMap { $0.first?.value as? AnyHashable }, parts.compactMap { $0.last?.value })
  }

  private static func id(of element: some Identifiable) -> AnyHashable { element.id }

  /// What was removed; then what was added, moved or may have changed, in the new order.
  func parts(changedTo new: Keyed, step: (Any) -> Step) -> [Part] {
    var parts = zip(keys, values).filter { new.positions[$0.0] == nil }
      .map { Part.removed(step($0.0), $0.1) }
    let staying = longestAscent(in: new.keys.compactMap { positions[$0] })
    for (position, (key, value)) in zip(new.keys, new.values).enumerated() {
      guard let old = positions[key] else {
        parts.append(.added(step(key), value, at: position))
        continue
      }
      if !staying.contains(old) { parts.append(.told(step(key), .moved(from: old, to: position))) }
      if !areSameAndAlike(values[old], value) { parts.append(.kept(step(key), values[old], value)) }
    }
    return parts
  }
}

/// As many of the numbers, which all differ, as ascend in the order in which they are.
private func longestAscent(in numbers: [Int]) -> Set<Int> {
  var ends: [Int] = []  // The least numbers in which ascents of 1, 2, 3 … numbers end.
  var previous: [Int: Int] = [:]
  for number in numbers {
    var (length, limit) = (0, ends.count)
    while length < limit {
      let middle = (length + limit) / 2
      if ends[middle] < number { length = middle + 1 } else { limit = middle }
    }
    if length > 0 { previous[number] = ends[length - 1] }
    ends.replaceSubrange(length..<min(length + 1, ends.count), with: [number])
  }
  return Set(ends.last.map { sequence(first: $0) { previous[$0] }.map { $0 } } ?? [])
}
