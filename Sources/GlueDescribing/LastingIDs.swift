package import Glue

/// The texts that a log or an inspector shows for the ids of lasting effects.
///
/// A cause has only the description of an id, which no redaction can judge. So this remembers how
/// each id was shown when the id itself was known, and shows the causes in the same way.
package final class LastingIDs: Sendable {
  private let rewording: Rewording?

  /// Whether a description is redacted if its id isn't known.
  private let isDiscreet: Bool

  private let known = Locked(Known())

  /// How many characters of an id are shown, and how many ids are remembered.
  private static let textLimit = 100
  private static let limit = 10_000

  private struct Known {
    var texts: [String: String] = [:]
    var counts: [String: Int] = [:]

    mutating func add(_ text: String, for description: String) -> String {
      if let text = texts[description] { return text }
      if texts.count == LastingIDs.limit { self = Known() }
      counts[text, default: 0] += 1
      let count = counts[text] ?? 1
      let whole = count == 1 ? text : "\(text) (\(count))"
      texts[description] = whole
      return whole
    }
  }

  package init(rewording: Rewording?, isDiscreet: Bool) {
    self.rewording = rewording
    self.isDiscreet = isDiscreet
  }

  /// One line that stands for an id.
  package func text(of id: any Hashable & Sendable) -> String {
    text(for: pathText(of: id)) {
      if let text = rewording?(id, []) { return text }
      return id as? String
        ?? shortDescription(of: id, limit: Self.textLimit, rewording: rewording)
    }
  }

  /// A cause with what stands for its id.
  package func shown(_ cause: Cause) -> Cause {
    guard case .lasting(let description, let commit) = cause else { return cause }
    let text = text(for: description) {
      isDiscreet ? redacted : rewording?(description, []) ?? description
    }
    return .lasting(text, sinceCommit: commit)
  }

  /// The text for a description: other ids with the same text are numbered.
  private func text(for description: String, _ make: () -> String) -> String {
    if rewording == nil, description.utf8.count <= Self.textLimit { return escaped(description) }
    if let text = known.withLock({ $0.texts[description] }) { return text }
    let text = escaped(String(make().prefix(Self.textLimit)))
    return known.withLock { $0.add(text, for: description) }
  }
}
