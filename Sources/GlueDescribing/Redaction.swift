internal import Glue

/// Values to hide, in a log or wherever else a run is described.
///
///     let log = LogMonitor<AppState>(redact: [.path("session.token"), .type(Password.self)])
///
/// They are shown as `<redacted>`, also as parts of states, intents and effects. The description
/// still says that they have changed.
public struct Redaction: Sendable {
  fileprivate let covers: @Sendable (_ value: Any, _ path: [String]) -> Bool

  /// Whether it covers a text that `describe` gives for a value.
  fileprivate let coversText: @Sendable (String) -> Bool

  private init(
    text coversText: @escaping @Sendable (String) -> Bool = { _ in false },
    _ covers: @escaping @Sendable (_ value: Any, _ path: [String]) -> Bool
  ) {
    self.coversText = coversText
    self.covers = covers
  }

  /// Redacts the values at a path.
  ///
  /// A property that has a wrapper, or is lazy, goes by its own name: `token` redacts all that the
  /// wrapper of `@Wrapped var token` stores.
  ///
  /// - Parameter path: names of properties, of cases and of their payloads, and keys that are
  ///   strings, with dots between them: `session.token`. The end of a path is enough: `token` is
  ///   every part of that name. Positions, ids and other keys are no part of a path.
  /// - Returns: the redaction.
  public static func path(_ path: String) -> Redaction {
    let names = path.split(separator: ".").map { Name(String($0)) }
    return Redaction { !names.isEmpty && ends($1, in: names) }
  }

  /// Redacts all values of a type.
  ///
  /// - Parameter type: a type, or that of a protocol: `(any Secret).self`.
  /// - Returns: the redaction.
  public static func type<Value>(_ type: Value.Type) -> Redaction {
    Redaction { value, _ in value is Value }
  }

  /// Redacts a value anywhere.
  ///
  /// - Parameter value: equal values are redacted. A text that contains it is not: see
  ///   ``containing(_:)``.
  /// - Returns: the redaction.
  public static func value<Value: Equatable & Sendable>(_ value: Value) -> Redaction {
    Redaction { other, _ in other as? Value == value }
  }

  /// Redacts every text that contains a secret: strings, values that describe themselves, and the
  /// texts of `describe:`.
  ///
  /// It hides the whole text. It doesn't hide the secret in another form, such as in several strings,
  /// in `Data`, or encoded.
  ///
  /// - Parameter secret: an empty one redacts nothing.
  /// - Returns: the redaction.
  /// - Complexity: a description takes time in proportion to all of its texts, even of those that it
  ///   cuts.
  public static func containing(_ secret: String) -> Redaction {
    @Sendable func isIn(_ text: String) -> Bool {
      // Bytes, because a character that follows the secret may merge with its last one.
      !secret.isEmpty && text.utf8.contains(secret.utf8)
    }
    return Redaction(text: isIn) { value, _ in
      let value = unwrapped(value)
      if let text = value as? any StringProtocol { return isIn(String(text)) }
      return shownParts(of: value) == nil && isIn(wholeText(of: value))
    }
  }

  /// Redacts what other redactions cover at the moment, for secrets that come while the program runs.
  ///
  ///     .current { vault.secrets.map(Redaction.containing) }
  ///
  /// It doesn't hide a secret that was described before the closure knew it.
  ///
  /// - Parameter redactions: is called for every value that is described, on the thread that describes
  ///   it. So it must be fast, and must not use the store.
  /// - Returns: the redaction.
  public static func current(
    _ redactions: @escaping @Sendable () -> [Redaction]
  ) -> Redaction {
    Redaction(
      text: { text in redactions().contains { $0.coversText(text) } },
      { value, path in redactions().contains { $0.covers(value, path) } })
  }
}

/// Whether a path ends in these names.
private func ends(_ path: [String], in names: [Name]) -> Bool {
  var rest = path[...]
  for name in names.reversed() {
    guard let last = rest.popLast() else { return false }
    if last == name.own || name.storages.contains(last) { continue }
    // Between a wrapped property and a part of its value stand the wrapper's own properties.
    guard rest.count + 1 < path.count,
      let wrapper = rest.lastIndex(where: name.storages.contains)
    else { return false }
    rest = rest[..<wrapper]
  }
  return true
}

/// A property's name, and what the compiler calls its storage if it has a wrapper or is lazy.
private struct Name: Sendable {
  let own: String
  let storages: [String]

  init(_ name: String) {
    own = name
    storages = ["_" + name, "$__lazy_storage_$_" + name]
  }
}

/// The texts to show instead of values: the redactions first, then a function's.
///
/// - Parameters:
///   - redactions: the values to hide.
///   - describe: returns the text of a value at a path, or nil if it has none of its own.
/// - Returns: the rewording, nil if there is nothing to reword.
package func rewording(
  redact redactions: [Redaction], describe: (@Sendable (Any, String) -> String?)?
) -> Rewording? {
  if redactions.isEmpty, describe == nil { return nil }
  return { value, path in
    if redactions.contains(where: { $0.covers(value, path) }) { return redacted }
    guard let text = describe?(value, path.joined(separator: ".")) else { return nil }
    return redactions.contains { $0.coversText(text) } ? redacted : text
  }
}

/// The text shown for a redacted value.
let redacted = "<redacted>"

/// The text of an element's id, which is redacted with the element and with the id property.
///
/// - Parameters:
///   - id: the id.
///   - element: the element.
///   - rewording: the texts to show instead of some values.
///   - path: the path of the element.
/// - Returns: a short text.
package func idText(
  _ id: Any, of element: Any, rewording: Rewording?, at path: [String]
) -> String {
  if let rewording, hides(rewording, id, of: element, at: path) { return redacted }
  return shortDescription(of: id, limit: 60, rewording: rewording, at: path + ["id"])
}

private func hides(
  _ rewording: Rewording, _ id: Any, of element: Any, at path: [String]
) -> Bool {
  if rewording(element, path) == redacted { return true }
  guard let id = id as? AnyHashable, let parts = shownParts(of: element) else { return false }
  return properties(of: element, parts).contains { property in
    guard let name = property.label, property.value as? AnyHashable == id else { return false }
    return rewording(property.value, path + [name]) == redacted
  }
}
