internal import Glue

/// The ids of the elements and parts that an intent is addressed to, the outermost first.
struct IntentPath {
  var ids: [any Hashable & Sendable]

  /// The intent that another one carries along this path; nil if it is addressed elsewhere.
  func content(of intent: any Intent) -> (any Intent)? {
    ids.reduce(intent as (any Intent)?) { intent, id in
      guard let address = intent.flatMap(address), isSameID(address.id, id) else { return nil }
      return address.intent
    }
  }

  /// The path after the name of an intent; nothing for the whole.
  var phrase: String { ids.isEmpty ? "" : " in \(text)" }

  /// The path as an argument.
  var text: String { ids.map { GlueTesting.text(of: $0) }.joined(separator: ", ") }

  /// How an intent differs from the expected one: the first level at which its ids do, or the parts
  /// of what it carries.
  func differences(from expected: (any Intent)?, to actual: any Intent) -> [String] {
    let (expectedIDs, expected) = flattened(expected, after: ids)
    let (actualIDs, actual) = flattened(actual, after: [])
    for level in 0..<max(expectedIDs.count, actualIDs.count) {
      let ids = [expectedIDs, actualIDs].map { level < $0.count ? $0[level] : nil }
      if let old = ids[0], let new = ids[1], isSameID(old, new) { continue }
      let cure = ids[0] == nil ? ". Name it by `in:`" : ""
      return ["The ids differ at level \(level + 1) (expected → actual): \(change(ids))\(cure)"]
    }
    guard let expected, let actual, type(of: expected) == type(of: actual) else { return [] }
    return ["Expected → actual:"] + GlueTesting.differences(expected, actual).map { "  \($0)" }
  }

  private func change(_ ids: [(any Hashable & Sendable)?]) -> String {
    let types = ids.compactMap { $0.map { type(of: $0) } }
    let areOfOneType = types.count < 2 || types[0] == types[1]
    return ids.map { id in
      guard let id else { return "none" }
      return (areOfOneType ? "" : "\(type(of: id)) ") + GlueTesting.text(of: id)
    }.joined(separator: " → ")
  }
}

/// The ids that an intent is addressed to at all levels, and what it carries there.
private func flattened(
  _ intent: (any Intent)?, after ids: [any Hashable & Sendable]
) -> (ids: [any Hashable & Sendable], content: (any Intent)?) {
  var (ids, content) = (ids, intent)
  while let inner = content.flatMap(address) {
    ids.append(inner.id)
    content = inner.intent
  }
  return (ids, content)
}

/// Whether two ids are equal, and of one type, as reducers compare them.
private func isSameID(_ a: any Hashable & Sendable, _ b: any Hashable & Sendable) -> Bool {
  type(of: a) == type(of: b) && AnyHashable(a) == AnyHashable(b)
}
