/// The elements of an array with their ids, which are unique.
struct Identified {
  private let elements: [Any]
  private var ids: [AnyHashable] = []
  private var positions: [AnyHashable: Int] = [:]

  /// Finds the ids; nil if an element has none, or one that another has too.
  init?(_ elements: [Any]) {
    self.elements = elements
    for (index, element) in elements.enumerated() {
      guard let element = element as? any Identifiable else { return nil }
      ids.append(Self.id(of: element))
      if positions.updateValue(index, forKey: ids[index]) != nil { return nil }
    }
  }

  private static func id(of element: some Identifiable) -> AnyHashable { element.id }

  /// What was removed, then what is there now, and the ids that are in both if their order changed.
  func parts(changedTo new: Identified) -> [Part] {
    let kept = ids.filter { new.positions[$0] != nil }
    let found = new.ids.filter { positions[$0] != nil }
    var parts: [Part] = []
    for (id, element) in zip(ids, elements) where new.positions[id] == nil {
      parts.append(Part(.id(id), element, nil))
    }
    for (id, element) in zip(new.ids, new.elements) {
      parts.append(Part(.id(id), positions[id].map { elements[$0] }, element))
    }
    if let start = zip(kept, found).enumerated().first(where: { $1.0 != $1.1 })?.offset {
      parts.append(Part(.order, Array(kept[start...]), Array(found[start...])))
    }
    return parts
  }
}

/// Two arrays of different lengths, whose elements are aligned from the start.
///
/// It takes O(*n*) comparisons of elements: where two differ, a short way ahead is looked for the
/// place where they are the same again, but only a limited number of times.
struct Alignment {
  private let old: [Any]
  private let new: [Any]

  /// How many elements come before these.
  private let start: Int

  private var removed: Range<Int>
  private var added: Range<Int>
  private var searches = 32
  private var parts: [Part] = []

  init(_ old: [Any], _ new: [Any], start: Int) {
    self.old = old
    self.new = new
    self.start = start
    removed = old.indices
    added = new.indices
  }

  /// The elements that were removed, added, or may have changed.
  mutating func parts(in comparison: inout Comparison) -> [Part] {
    skipSame(in: &comparison)
    dropSameEnd(in: &comparison)
    while !removed.isEmpty, !added.isEmpty {
      let shift = shift(in: &comparison)
      remove(shift.removed)
      add(shift.added)
      if shift == (0, 0) { pair() }
      if searches > 0 { skipSame(in: &comparison) }
    }
    remove(removed.count)
    add(added.count)
    return parts
  }

  private mutating func skipSame(in comparison: inout Comparison) {
    while !removed.isEmpty, !added.isEmpty, areSame(0, 0, in: &comparison) {
      removed.removeFirst()
      added.removeFirst()
    }
  }

  private mutating func dropSameEnd(in comparison: inout Comparison) {
    while let i = removed.last, let j = added.last, comparison.areSame(old[i], new[j]) {
      removed.removeLast()
      added.removeLast()
    }
  }

  /// How many elements to remove or to add until the next ones are the same; none if those here
  /// correspond, or if that is not to be found out.
  private mutating func shift(in comparison: inout Comparison) -> (removed: Int, added: Int) {
    if searches == 0 { return (0, 0) }
    searches -= 1
    if areSame(1, 1, in: &comparison) { return (0, 0) }
    for distance in 1...16 {
      if areSame(0, distance, in: &comparison) { return (0, distance) }
      if areSame(distance, 0, in: &comparison) { return (distance, 0) }
    }
    return (0, 0)
  }

  /// Whether two elements, given by their distance ahead, are there and the same.
  private func areSame(_ i: Int, _ j: Int, in comparison: inout Comparison) -> Bool {
    if i >= removed.count || j >= added.count { return false }
    return comparison.areSame(old[removed.lowerBound + i], new[added.lowerBound + j])
  }

  private mutating func remove(_ count: Int) {
    for index in removed.prefix(count) {
      parts.append(Part(.index(start + index), old[index], nil))
    }
    removed.removeFirst(count)
  }

  private mutating func add(_ count: Int) {
    for index in added.prefix(count) {
      parts.append(Part(.index(start + index), nil, new[index]))
    }
    added.removeFirst(count)
  }

  private mutating func pair() {
    guard let i = removed.popFirst(), let j = added.popFirst() else { return }
    parts.append(Part(.index(start + j), old[i], new[j]))
  }
}
