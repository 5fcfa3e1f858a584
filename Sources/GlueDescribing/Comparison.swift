internal import Glue

/// The comparison of two values, part by part, on a stack of its own.
final class Comparison {
  private(set) var diff = StateDiff()

  /// How many differences are listed.
  ///
  /// With 0 it ends at the first one, to find out whether values are the same.
  let limit: Int
  private let valueLimit: Int
  private let rewording: Rewording?
  private let detail: ((Any, [String]) -> String?)?

  /// How many values may still be compared by parts, and how many to find out what is the same.
  private var work: Int
  private var workForProbes: Int

  private var pending: [(depth: Int, parts: Parts)] = []
  private var path: [Step] = []

  init(
    limit: Int, valueLimit: Int, work: Int, rewording: Rewording?,
    detail: ((Any, [String]) -> String?)?
  ) {
    self.limit = limit
    self.valueLimit = valueLimit
    self.work = work
    self.rewording = rewording
    self.detail = detail
    workForProbes = work / 2
  }

  /// Whether the budget is spent, so that `==` alone decides.
  var isTired: Bool { work <= 0 }

  /// Finds the differences between two values.
  func run(_ old: Any, _ new: Any) {
    run(each([(.same, .kept(old, new))]))
    path = []
  }

  private func run(_ parts: @escaping Parts) {
    pending = [(0, parts)]
    while limit > 0 || diff.isEmpty, let (depth, parts) = pending.last {
      guard let (step, fate) = parts() else {
        pending.removeLast()
        continue
      }
      path.removeSubrange(depth...)
      path.append(step)
      switch fate {
      case .kept(let old, let new): compare(old, new)
      case .removed(let old): report { .removed(text(old)) }
      case .added(let new, let position): report(new) { .added(text(new), at: position) }
      case .told(let change): report { change }
      case .unequal(let old, let new): report(old, new)
      }
    }
  }

  private func compare(_ old: Any, _ new: Any) {
    let (old, new) = (unwrapped(old), unwrapped(new))
    if type(of: old) != type(of: new) { return report(old, new) }
    if areSameAndAlike(old, new) { return }
    let isEqual = isKnownEqual(old, new)
    if isEqual == true { return }
    if isTired || limit == 0 && isEqual == false { return settle(isEqual, old, new) }
    if isReworded(old) || isReworded(new) {
      return settle(isEqual ?? areSame(old, new), old, new)
    }
    guard let before = shownParts(of: old), let after = shownParts(of: new),
      !before.children.isEmpty || !after.children.isEmpty
    else { return settle(isEqual ?? areSameBehindText(old, new), old, new) }
    work -= 1
    guard let parts = parts(old, before, new, after) else { return report(old, new) }
    let all = orHidden(parts, old, new)
    pending.append((path.count, isEqual == false ? orWhole(all, old, new) : all))
  }

  /// The result of the values' own `==`; nil if they have none, or if a value isn't equal to
  /// itself, such as NaN.
  ///
  /// For optionals and the standard library's collections the elements decide. Their `==` does no
  /// more, and finds an array with a NaN unequal to an equally made one.
  private func isKnownEqual(_ old: Any, _ new: Any) -> Bool? {
    if old is any Divisible || old is any ExpressibleByNilLiteral { return nil }
    guard let isEqual = equality(old, new) else { return nil }
    if isEqual { return true }
    return equality(old, old) == true && equality(new, new) == true ? false : nil
  }

  /// The parts of values; if none of them differs, those that the values don't show.
  private func orHidden(_ parts: @escaping Parts, _ old: Any, _ new: Any) -> Parts {
    guard let old = old as? any Abbreviated, let new = new as? any Abbreviated else { return parts }
    let count = diff.count
    var hidden: Parts?
    return { [unowned self] in
      if hidden == nil, let part = parts() { return part }
      if diff.count > count { return nil }
      hidden = hidden ?? children(old, old.hiddenParts, new, new.hiddenParts)
      return hidden?()
    }
  }

  /// The parts of values that are not equal; if none of them differs, the values themselves.
  private func orWhole(_ parts: @escaping Parts, _ old: Any, _ new: Any) -> Parts {
    let count = diff.count
    return { [unowned self] in
      parts() ?? (diff.count == count ? (.same, .unequal(old, new)) : nil)
    }
  }

  /// Reports values that differ, and counts those of which that isn't known.
  private func settle(_ areSame: Bool?, _ old: Any, _ new: Any) {
    switch areSame {
    case true?: break
    case false?: report(old, new)
    case nil: diff.uncomparedCount += 1
    }
  }

  /// The parts that may have changed in a value; nil if it was replaced as a whole.
  private func parts(_ old: Any, _ before: Mirror, _ new: Any, _ after: Mirror) -> Parts? {
    switch before.displayStyle {
    case .collection, .set, .dictionary:
      if let old = old as? any Divisible { return old.parts(changedTo: new, in: self) }
      return members(before, after)
    default: return children(old, before, new, after)
    }
  }

  private func children(_ old: Any, _ before: Mirror, _ new: Any, _ after: Mirror) -> Parts? {
    let (old, new) = (properties(of: old, before), properties(of: new, after))
    if old.map(\.label) != new.map(\.label) { return nil }
    return each(
      zip(old, new).enumerated().map { index, child in
        let step = child.0.label.map(Step.property) ?? .index(index)
        let isOptional = before.displayStyle == .optional
        return (isOptional ? .same : step, .kept(child.0.value, child.1.value))
      })
  }

  /// The elements of collections that are not the standard library's own.
  private func members(_ before: Mirror, _ after: Mirror) -> Parts {
    let (old, new) = (before.children.map(\.value), after.children.map(\.value))
    switch before.displayStyle {
    case .dictionary:
      if let parts = entryParts(old, changedTo: new) { return parts }
    case .set:
      guard let old = old as? [AnyHashable], let new = new as? [AnyHashable] else { break }
      return Set(old).parts(changedTo: Set(new), in: self)
    default: break
    }
    return old.parts(changedTo: new, in: self)
  }

  /// Whether values that a text shows are the same; in the end, parts that it doesn't show decide.
  private func areSameBehindText(_ old: Any, _ new: Any) -> Bool? {
    if type(of: old) is AnyClass || wholeText(of: old) != wholeText(of: new) { return false }
    return children(old, Mirror(reflecting: old), new, Mirror(reflecting: new)).map(areSame)
      ?? false
  }

  /// Whether two values are the same in all parts; nil if that takes too much to find out.
  func areSame(_ old: Any, _ new: Any) -> Bool? { areSame(each([(.same, .kept(old, new))])) }

  private func areSame(_ parts: @escaping Parts) -> Bool? {
    let probe = Comparison(
      limit: 0, valueLimit: 0, work: workForProbes, rewording: nil, detail: nil)
    probe.run(parts)
    workForProbes = min(probe.work, 2 * probe.workForProbes) - 1
    return probe.diff.uncomparedCount > 0 ? nil : probe.diff.isEmpty
  }

  /// Reports that two values differ, at the current path.
  func report(_ old: Any, _ new: Any) {
    report(new) {
      let start = start(old, new)
      let (before, after) = (text(old, from: start), text(new, from: start))
      if before != after || isReworded(old) || isReworded(new) || type(of: old) == type(of: new) {
        return .changed(from: before, to: after)
      }
      return .changed(from: before + typeText(of: old), to: after + typeText(of: new))
    }
  }

  private func typeText(of value: Any) -> String { escaped(" as \(type(of: value))") }

  private func report(_ new: Any? = nil, _ change: () -> Difference.Change) {
    if diff.listed.count < limit {
      let more = new.flatMap { detail?($0, names) }
      diff.listed.append(
        Difference(path: pathText(path, rewording), change: change(), detail: more))
    } else {
      diff.unlistedCount += 1
    }
  }

  private var names: [String] { path.compactMap(\.name) }

  private func text(_ value: Any, from start: Int = 0) -> String {
    shortDescription(of: value, limit: valueLimit, from: start, rewording: rewording, at: names)
  }

  private func isReworded(_ value: Any) -> Bool { rewording?(value, names) != nil }

  /// How many characters of texts, or bytes of `Data`, to skip at the start of values too long to
  /// show, so that the first difference is visible.
  private func start(_ old: Any, _ new: Any) -> Int {
    if !isReworded(old), !isReworded(new), let count = commonByteCount(old, new) {
      return 4 * count < valueLimit ? 0 : count
    }
    guard let old = content(of: old), let new = content(of: new),
      max(old.count, new.count) + 2 > valueLimit
    else { return 0 }
    let same = zip(old, new).lazy.prefix { $0 == $1 }.reduce(0) { count, _ in count + 1 }
    return same < valueLimit / 2 ? 0 : same - valueLimit / 5
  }

  /// The text of a value that has no parts.
  private func content(of value: Any) -> String.UnicodeScalarView? {
    isReworded(value) || shownParts(of: value) != nil ? nil : wholeText(of: value).unicodeScalars
  }
}
