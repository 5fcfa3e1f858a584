extension Array: Divisible {
  func parts(changedTo other: Any, in comparison: inout Comparison) -> Parts {
    guard let other = other as? Self else { return { nil } }
    if let old = Keyed(ids: self), let new = Keyed(ids: other) {
      return each(old.parts(changedTo: new, step: Step.id))
    }
    let alignment = alignment(with: other, in: &comparison)
    var edits = alignment.edits.makeIterator()
    var rest = alignment.rest
    return {
      switch edits.next() {
      case (let i?, let j?)?: return .kept(.index(j), self[i], other[j])
      case (let i?, nil)?: return .removed(.index(i), self[i])
      case (nil, let j?)?: return .added(.index(j), other[j])
      default:
        defer { rest = nil }
        return rest.map { .told(.same, .replaced($0.count, by: $1.count)) }
      }
    }
  }

  private func alignment(with other: Self, in comparison: inout Comparison) -> Alignment {
    withMemory(of: other) { areSameInMemory in
      if comparison.isProbe { return Alignment(count, other.count, areSame: areSameInMemory) }
      let areEqual = equality(with: other)
      let isFinal = areEqual == nil || first.map(hasNoParts) ?? true
      return Alignment(count, other.count, isFinal: isFinal, areSameInMemory: areSameInMemory) {
        if areSameInMemory($0, $1) { return true }
        return areEqual?($0, $1) ?? comparison.areSame(self[$0], other[$1])
      }
    }
  }

  /// Whether neither an element nor any other can have parts that its `==` may leave out.
  private func hasNoParts(_ element: Element) -> Bool {
    guard let parts = shownParts(of: element) else { return true }
    return parts.children.isEmpty && [nil, .struct].contains(parts.displayStyle)
  }

  /// Whether elements at two positions are equal, if they are `Equatable`.
  private func equality(with other: Self) -> ((Int, Int) -> Bool)? {
    func equality<E: Equatable>(_: E.Type) -> ((Int, Int) -> Bool)? {
      guard let old = self as Any as? [E], let new = other as Any as? [E] else { return nil }
      return { old[$0] == new[$1] }
    }
    return (Element.self as? any Equatable.Type).flatMap { equality($0) }
  }

  /// Hands out a function that tells whether an element here and one there are the same in memory.
  private func withMemory<Result>(of other: Self, _ body: ((Int, Int) -> Bool) -> Result) -> Result
  {
    let (size, stride) = (MemoryLayout<Element>.size, MemoryLayout<Element>.stride)
    return withUnsafeBytes { old in
      other.withUnsafeBytes { new in
        body { areSame(old, new, from: $0 * stride, from: $1 * stride, count: size) }
      }
    }
  }
}

/// Which elements of two arrays correspond.
///
/// What is the same at both ends is left out. The elements between are aligned, if that takes no
/// more than a few tests of each and 10,000 in vain.
struct Alignment {
  /// Where elements that may have changed were and are; what was removed is nowhere now, what was
  /// added was nowhere.
  private(set) var edits: [(old: Int?, new: Int?)] = []

  /// The elements that could not be aligned.
  private(set) var rest: (old: Range<Int>, new: Range<Int>)?

  /// Aligns by position.
  init(_ n: Int, _ m: Int, areSame: (Int, Int) -> Bool) {
    if n != m { rest = (0..<n, 0..<m) } else { edits = Self.pairs(0..<n, 0..<m, areSame) }
  }

  /// Aligns by what is the same.
  ///
  /// - Parameter isFinal: whether what `areSame` says of elements needs no second look.
  init(
    _ n: Int, _ m: Int, isFinal: Bool, areSameInMemory: (Int, Int) -> Bool,
    areSame: (Int, Int) -> Bool
  ) {
    var (start, end) = (0, 0)
    while start < min(n, m), areSame(start, start) { start += 1 }
    let most = min(n, m) - start - (n == m ? 1 : 0)  // Of as many, one is known to differ.
    while end < most, areSame(n - 1 - end, m - 1 - end) { end += 1 }
    let (old, new) = (start..<(n - end), start..<(m - end))
    let hides: (Int, Int) -> Bool = { isFinal || areSameInMemory($0, $1) }
    edits = Self.pairs(0..<start, 0..<start, hides)
    align(old, new, hides, areSameInMemory: areSameInMemory, areSame: areSame)
    edits += Self.pairs((n - end)..<n, (m - end)..<m, hides)
  }

  private static func pairs(
    _ old: Range<Int>, _ new: Range<Int>, _ areSame: (Int, Int) -> Bool
  ) -> [(Int?, Int?)] {
    zip(old, new).compactMap { areSame($0, $1) ? nil : ($0, $1) }
  }

  /// Aligns elements that may have little in common. As many are compared by position, unless that
  /// takes more than twice the lines.
  private mutating func align(
    _ old: Range<Int>, _ new: Range<Int>, _ hides: (Int, Int) -> Bool,
    areSameInMemory: (Int, Int) -> Bool, areSame: (Int, Int) -> Bool
  ) {
    if old.isEmpty || new.isEmpty { return edits += old.map { ($0, nil) } + new.map { (nil, $0) } }
    let isResized = old.count != new.count
    let pairs = isResized ? [] : Self.pairs(old, new, areSameInMemory)
    let difference = isResized || pairs.count > 4 ? Self.difference(old, new, areSame) : nil
    let aligned = difference.map { Self.edits(old, new, $0, hides) }
    if let aligned, isResized || 2 * aligned.count < pairs.count { return edits += aligned }
    if isResized { rest = (old, new) } else { edits += pairs }
  }

  private static func difference(
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

  /// What is removed and added at one place has changed.
  private static func edits(
    _ old: Range<Int>, _ new: Range<Int>, _ difference: CollectionDifference<Int>,
    _ hides: (Int, Int) -> Bool
  ) -> [(Int?, Int?)] {
    let (removals, insertions) = (difference.positions(removed: true), difference.positions(removed: false))
    var edits: [(Int?, Int?)] = []
    var (i, j) = (old.lowerBound, new.lowerBound)
    while i < old.upperBound || j < new.upperBound {
      let (isRemoved, isAdded) = (removals.contains(i), insertions.contains(j))
      if isRemoved || isAdded || !hides(i, j) {
        edits.append((isAdded && !isRemoved ? nil : i, isRemoved && !isAdded ? nil : j))
      }
      if isRemoved || !isAdded { i += 1 }
      if isAdded || !isRemoved { j += 1 }
    }
    return edits
  }
}

extension CollectionDifference<Int> {
  fileprivate func positions(removed: Bool) -> Set<Int> {
    Set((removed ? removals : insertions).map { change in
      switch change {
      case .remove(_, let position, _), .insert(_, let position, _): position
      }
    })
  }
}
