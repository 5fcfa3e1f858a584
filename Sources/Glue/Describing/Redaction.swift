/// Which values are not to be seen, in a log or wherever else a run is described.
///
///     let log = LogMonitor<AppState>(redact: [.path("session.token"), .type(Password.self)])
///
/// They are shown as `<redacted>`, and so are states, intents and effects that they are parts of.
/// That they have changed is still told.
public struct Redaction: Sendable {
  fileprivate let covers: @Sendable (_ value: Any, _ path: [String]) -> Bool

  /// Redacts what is at a path.
  ///
  /// - Parameter path: names of properties, of cases and of their payloads, and keys that are
  ///   strings, with dots between them: `session.token`. The end of a path is enough: `token` is
  ///   every part of that name. Positions, ids and other keys are no part of a path.
  /// - Returns: the redaction.
  public static func path(_ path: String) -> Redaction {
    let names = path.split(separator: ".").map(String.init)
    return Redaction { !names.isEmpty && $1.suffix(names.count).elementsEqual(names) }
  }

  /// Redacts all values of a type.
  ///
  /// - Parameter type: a type, or that of a protocol: `(any Secret).self`.
  /// - Returns: the redaction.
  public static func type<Value>(_ type: Value.Type) -> Redaction {
    Redaction { value, _ in value is Value }
  }

  /// Redacts a value wherever it is.
  ///
  /// - Parameter value: what a value must be equal to. A text that contains it is not.
  /// - Returns: the redaction.
  public static func value<Value: Equatable & Sendable>(_ value: Value) -> Redaction {
    Redaction { other, _ in other as? Value == value }
  }
}

/// What is shown of values instead of what they are: the redactions first, then what a function
/// says.
///
/// - Parameters:
///   - redactions: the values that are not to be seen.
///   - describe: gives the text of a value at a path, or nil if it has none of its own.
/// - Returns: the rewording, nil if there is nothing to reword.
package func rewording(
  redact redactions: [Redaction], describe: (@Sendable (Any, String) -> String?)?
) -> Rewording? {
  if redactions.isEmpty, describe == nil { return nil }
  return { value, path in
    if redactions.contains(where: { $0.covers(value, path) }) { return "<redacted>" }
    return describe?(value, path.joined(separator: "."))
  }
}
