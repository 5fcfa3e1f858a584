/// The comparison of two values: walks through their parts, those that are still to be compared
/// being on a stack of its own.
struct Comparison {
  private(set) var diff = StateDiff()
  private var pending: [(depth: Int, parts: Parts)] = []
  private var path: [Step] = []
  private let limit: Int
  private let valueLimit: Int
  private let rewording: Rewording?

  /// Whether it serves to find out whether two values are the same, not what differs.
  let isProbe: Bool

  /// How many parts may still be compared, and how many to align arrays and behind equal texts.
  private var work: Int
  private var workForProbes: Int

  init(limit: Int, valueLimit: Int, work: Int, rewording: Rewording?, isProbe: Bool = false) {
    self.limit = limit
    self.valueLimit = valueLimit
    self.work = work
    self.rewording = rewording
    self.isProbe = isProbe
    workForProbes = work / 2
  }

  /// Finds what differs between two values.
  mutating func run(_ old: Any, _ new: Any) {
    run([.kept(.same, old, new)])
  }

  private mutating func run(_ first: [Part]) {
    add(each(first))
    while let (depth, parts) = pending.last, !isProbe || diff.isEmpty {
      guard let part = parts() else {
        pending.removeLast()
        continue
      }
      path.removeSubrange(depth...)
      path.append(part.step)
      work -= 1
      note(part)
    }
  }

  private mutating func add(_ parts: @escaping Parts) {
    pending.append((path.count, parts))
  }

  private mutating func note(_ part: Part) {
    switch part {
    case .kept(_, let old, let new): compare(old, new)
    case .removed(_, let old): report { .removed($0.text(old)) }
    case .added(_, let new, let position): report { .added($0.text(new), at: position) }
    case .told(_, let change): report { _ in change }
    }
  }

  private mutating func compare(_ old: Any, _ new: Any) {
    guard type(of: old) == type(of: new) else { return report(old, new) }
    if areSameAndAlike(old, new) { return }
    if type(of: old) == AnyHashable.self, let a = old as? AnyHashable, let b = new as? AnyHashable {
      return compare(a.base, b.base)
    }
    if isReworded(old) || isReworded(new) {
      let isEqual = equality(old, new)
      return isEqual == true || isEqual == nil && areSame(old, new) ? () : report(old, new)
    }
    guard let before = shownParts(of: old), let after = shownParts(of: new) else {
      return compareTexts(old, new)
    }
    if work > 0, path.count < 10_000 { return compareParts(old, new, before, after) }
    if let isEqual = equality(old, new) { return isEqual ? () : report(old, new) }
    diff.countUncompared()
  }

  private mutating func compareParts(_ old: Any, _ new: Any, _ before: Mirror, _ after: Mirror) {
    if let old = old as? any Divisible { return add(old.parts(changedTo: new, in: &self)) }
    switch before.displayStyle {
    case .collection, .set, .dictionary:
      if equality(old, new) != true { compareElements(before, after) }
    case .enum, .optional: compareCases(old, new, before.children.first, after.children.first)
    default: compareProperties(old, new, properties(of: old, before), properties(of: new, after))
    }
  }

  /// Compares collections that are not the standard library's own.
  private mutating func compareElements(_ before: Mirror, _ after: Mirror) {
    let (old, new) = (before.children.map(\.value), after.children.map(\.value))
    if before.displayStyle == .dictionary, let old = Keyed(entries: before),
      let new = Keyed(entries: after)
    {
      add(each(old.parts(changedTo: new, step: Step.key)))
    } else if before.displayStyle == .set, let old = old as? [AnyHashable],
      let new = new as? [AnyHashable]
    {
      add(Set(old).parts(changedTo: Set(new), in: &self))
    } else {
      add(old.parts(changedTo: new, in: &self))
    }
  }

  private mutating func compareCases(
    _ old: Any, _ new: Any, _ before: Mirror.Child?, _ after: Mirror.Child?
  ) {
    if let before, let after, before.label == after.label {
      let name = before.label ?? ""
      add(each([.kept(name == "some" ? .same : .property(name), before.value, after.value)]))
    } else if before != nil || after != nil
      || !(equality(old, new) ?? ("\(old)" == "\(new)"))
    {
      report(old, new)
    }
  }

  private mutating func compareProperties(
    _ old: Any, _ new: Any, _ before: [Mirror.Child], _ after: [Mirror.Child]
  ) {
    if before.isEmpty, after.isEmpty, equality(old, new) == false { return report(old, new) }
    add(each(Self.parts(before, after)))
  }

  private static func parts(_ before: [Mirror.Child], _ after: [Mirror.Child]) -> [Part] {
    (0..<max(before.count, after.count)).map { index in
      let child = (index < before.count ? before : after)[index]
      let step = child.label.map(Step.property) ?? .index(index)
      if index >= before.count { return .added(step, after[index].value) }
      if index >= after.count { return .removed(step, before[index].value) }
      return .kept(step, before[index].value, after[index].value)
    }
  }

  /// Compares values that a text shows; where it is the same, what they do not show decides.
  private mutating func compareTexts(_ old: Any, _ new: Any) {
    if let isEqual = equality(old, new) { return isEqual ? () : report(old, new) }
    if type(of: old) is AnyClass { return report(old, new) }
    let text = wholeText(of: old)
    if text == "(Function)" { return }
    if text != wholeText(of: new) || !describesItself(old) { return report(old, new) }
    let hidden = Self.parts(
      properties(of: old, Mirror(reflecting: old)), properties(of: new, Mirror(reflecting: new)))
    if isProbe { return add(each(hidden)) }
    if !probe({ $0.run(hidden) }) { report(old, new) }
  }

  /// Whether two values are known to be the same in all parts.
  mutating func areSame(_ old: Any, _ new: Any) -> Bool {
    probe { $0.run(old, new) }
  }

  private mutating func probe(_ run: (inout Comparison) -> Void) -> Bool {
    if workForProbes <= 0 { return false }
    var probe = Comparison(
      limit: 0, valueLimit: 0, work: workForProbes, rewording: nil, isProbe: true)
    run(&probe)
    workForProbes = probe.work
    return probe.diff.isEmpty
  }

  /// Reports that two values differ although no part of them does.
  mutating func reportWhole(_ old: Any, _ new: Any) {
    path = []
    report(old, new)
  }

  private mutating func report(_ old: Any, _ new: Any) {
    report {
      let start = $0.start(old, new)
      return .changed(from: $0.text(old, from: start), to: $0.text(new, from: start))
    }
  }

  /// Reports a difference where the comparison has arrived.
  private mutating func report(_ change: (Comparison) -> Difference.Change) {
    if diff.listed.count >= limit { return diff.add(nil) }
    diff.add(Difference(path: pathText(path, rewording), change: change(self)))
  }

  private func text(_ value: Any, from start: Int = 0) -> String {
    shortDescription(
      of: value, limit: valueLimit, from: start, rewording: rewording, at: path.compactMap(\.name))
  }

  private func isReworded(_ value: Any) -> Bool {
    rewording.map { $0(value, path.compactMap(\.name)) != nil } ?? false
  }

  /// From which character on two texts are shown, so that their first difference is seen.
  private func start(_ old: Any, _ new: Any) -> Int {
    guard let old = content(of: old), let new = content(of: new),
      max(old.count, new.count) + 2 > valueLimit,
      let same = zip(old, new).enumerated().first(where: { $0.1.0 != $0.1.1 })?.offset
    else { return 0 }
    return same < valueLimit / 2 ? 0 : same - valueLimit / 5
  }

  /// The text of a value that has no parts.
  private func content(of value: Any) -> String.UnicodeScalarView? {
    if isReworded(value) || shownParts(of: value) != nil { return nil }
    return wholeText(of: value).unicodeScalars
  }
}
