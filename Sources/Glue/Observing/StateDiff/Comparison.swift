/// The comparison of two states: walks through their parts, those that are still to be compared
/// being on a stack of its own.
struct Comparison {
  private(set) var diff = StateDiff()
  private var pending: [(depth: Int, part: Part)]
  private var path: [Step] = []
  private var met = MetObjects()
  private let limit: Int
  private let valueLimit: Int

  /// Whether it serves to find out whether two values are the same, not what differs.
  let isProbe: Bool

  /// How many steps may still be spent on aligning arrays, so that the whole stays linear.
  private var stepsForProbes = 1_000_000

  init(_ old: Any, _ new: Any, limit: Int, valueLimit: Int, isProbe: Bool = false) {
    pending = [(0, Part(.same, old, new))]
    self.limit = limit
    self.valueLimit = valueLimit
    self.isProbe = isProbe
  }

  /// Compares one pair of values and notes what parts of them to compare next.
  ///
  /// - Returns: whether there was anything left to compare.
  mutating func step() -> Bool {
    guard let (depth, part) = pending.popLast() else { return false }
    path.removeSubrange(depth...)
    path.append(part.step)
    if case .order = part.step { report(part.old, part.new) } else { compare(part.old, part.new) }
    return true
  }

  private mutating func compare(_ old: Any?, _ new: Any?) {
    guard let old, let new, type(of: old) == type(of: new) else { return report(old, new) }
    if areSameAndAlike(old, new) || !isFirstMeeting(old, new) { return }
    if isScalar(type(of: old)) { return areEqualLeaves(old, new) ? () : report(old, new) }
    if let old = old as? any Divisible { return add(old.parts(changedTo: new, in: &self)) }
    let before = Mirror(reflecting: old)
    let after = Mirror(reflecting: new)
    switch before.displayStyle {
    case .collection: add(elements(before).parts(changedTo: elements(after), in: &self))
    case .dictionary: add(entries(before).parts(changedTo: entries(after), in: &self))
    case .set: add(Set(members(before)).parts(changedTo: Set(members(after)), in: &self))
    case .enum, .optional: compareCases(old, new, before.children.first, after.children.first)
    default: compareProperties(old, new, properties(before), properties(after))
    }
  }

  private mutating func compareCases(
    _ old: Any, _ new: Any, _ before: Mirror.Child?, _ after: Mirror.Child?
  ) {
    guard let before, let after, before.label == after.label else {
      if before != nil || after != nil || !areEqualLeaves(old, new) { report(old, new) }
      return
    }
    let name = before.label ?? ""
    add([Part(name == "some" ? .same : .property(name), before.value, after.value)])
  }

  private mutating func compareProperties(
    _ old: Any, _ new: Any, _ before: [Mirror.Child], _ after: [Mirror.Child]
  ) {
    let isLeaf = before.isEmpty && after.isEmpty
    if isLeaf || describesItself(old) {
      if areEqualLeaves(old, new) { return }
      if isLeaf || text(old) != text(new) { return report(old, new) }
    }
    add(
      (0..<max(before.count, after.count)).map { index in
        let child = index < before.count ? before[index] : after[index]
        return Part(
          child.label.map(Step.property) ?? .index(index),
          index < before.count ? before[index].value : nil,
          index < after.count ? after[index].value : nil)
      })
  }

  private mutating func add(_ parts: [Part]) {
    for part in parts.reversed() { pending.append((path.count, part)) }
  }

  /// Reports that the states differ although no part of them does.
  mutating func reportWhole(_ old: Any, _ new: Any) {
    path = []
    report(old, new)
  }

  /// Reports a difference where the comparison has arrived.
  private mutating func report(_ old: Any?, _ new: Any?) {
    if diff.listed.count >= limit { return diff.add(nil) }
    diff.add(Difference(path: pathText(path), change: change(old, new)))
  }

  private func change(_ old: Any?, _ new: Any?) -> Difference.Change {
    guard let old else { return .added(text(new as Any)) }
    guard let new else { return .removed(text(old)) }
    return .changed(from: text(old), to: text(new))
  }

  private func text(_ value: Any) -> String {
    shortDescription(of: value, limit: valueLimit)
  }

  /// Whether two values are known to be the same in all parts.
  mutating func areSame(_ old: Any, _ new: Any) -> Bool {
    var probe = Comparison(old, new, limit: 0, valueLimit: 0, isProbe: true)
    while stepsForProbes > 0, probe.diff.isEmpty {
      stepsForProbes -= 1
      if !probe.step() { return true }
    }
    return false
  }

  private mutating func isFirstMeeting(_ old: Any, _ new: Any) -> Bool {
    guard type(of: old) is AnyClass else { return true }
    return met.meet(old as AnyObject, new as AnyObject)
  }
}

/// Which objects have been compared, directly or by way of others that both were compared with.
///
/// Groups of them are merged at most once an object, whatever cycles they form.
private struct MetObjects {
  private var leaders: [ObjectIdentifier: ObjectIdentifier] = [:]

  /// Keeps the objects alive, so that no other gets the identity of one.
  private var objects: [AnyObject] = []

  /// Notes that two objects are compared.
  ///
  /// - Returns: whether that was not yet known.
  mutating func meet(_ a: AnyObject, _ b: AnyObject) -> Bool {
    let a = leader(of: a)
    let b = leader(of: b)
    leaders[a] = b
    return a != b
  }

  private mutating func leader(of object: AnyObject) -> ObjectIdentifier {
    var id = ObjectIdentifier(object)
    if leaders[id] == nil {
      leaders[id] = id
      objects.append(object)
    }
    while let leader = leaders[id], leader != id {
      leaders[id] = leaders[leader]
      id = leader
    }
    return id
  }
}
