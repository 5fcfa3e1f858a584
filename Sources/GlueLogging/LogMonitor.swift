@_exported public import GlueDescribing
public import Glue

/// Writes a readable entry for every commit: its number, intent, cause and effects, and the changes
/// of the state.
///
///     let store = Store(
///       state: AppState(), reducer: reducer,
///       monitors: [LogMonitor<AppState>(redact: [.path("password")])])
///
/// An entry looks like this; empty parts are omitted, and so is the cause of an intent from
/// outside:
///
///     #5 AppIntent.increment
///       value: 4 → 5
///       effects[0]: AppEffect.playSound
///     #6 AppIntent.played(times: 1), from effects[0] of #5
///       plays: 0 → 1
///
/// An intent without results is marked with ": nothing changed", an effect without a handler with
/// ", which has no handler". Lasting effects are listed as they begin and cease.
///
/// A log shows everything in the state, in intents and in effects, including secrets, unless you
/// redact them or their types describe themselves. A value that is `CustomStringConvertible` or
/// `CustomDebugStringConvertible` is shown as its description, without its parts. So a secret whose
/// `description` reveals nothing is in no log.
///
/// A cause names a lasting effect by the description of its id, which no redaction can judge. So a
/// log that redacts anything shows only the ids of lasting effects that it has seen begin or cease.
///
/// It is safe for the values that it shows. Objects and actors are not reflected, because that
/// would take their locks. They are shown by their type and a number, `Session #1`, which stays
/// theirs while they live. They are the same if they are identical or, if they are `Equatable`,
/// equal. Weak and unowned references are not read. Long values are shortened, and of many
/// differences 20 are listed. Control characters, and invisible ones, are escaped, so that an entry
/// can't control a terminal.
///
/// Like every ``/Glue/Monitor`` it is called where the store delivers, so the entries are in the
/// order of commits, and a slow sink delays deliveries. Several stores may share a sink, which gets
/// entries as wholes.
///
/// - Complexity: for each commit, O(*n*) in the number of parts of the changed values in the state.
///   At most 20,000 values are compared by parts; the others are compared by their `==` alone, or
///   counted as not compared.
public struct LogMonitor<State: Sendable>: Monitor {
  private let rewording: Rewording?
  private let ids: LastingIDs
  private let write: @Sendable (String) -> Void

  /// Creates a monitor that writes to standard error, each entry at once.
  ///
  /// Entries that can't be written are lost, for example if standard error is a pipe without a
  /// reader; no signal ends the program.
  ///
  /// - Parameters:
  ///   - redactions: the values to hide.
  ///   - describe: returns the text to show instead of a value, or nil. It also gets the value's
  ///     path, such as `session.token`, and is called on any thread.
  public init(
    redact redactions: [Redaction] = [],
    describe: (@Sendable (_ value: Any, _ path: String) -> String?)? = nil
  ) {
    self.init(redact: redactions, describe: describe, to: writeToStandardError)
  }

  /// Creates a monitor that writes elsewhere.
  ///
  /// - Parameters:
  ///   - redactions: the values to hide.
  ///   - describe: returns the text to show instead of a value, or nil. It also gets the value's
  ///     path, such as `session.token`, and is called on any thread.
  ///   - sink: gets an entry of one or more lines, without a line break at its end.
  public init(
    redact redactions: [Redaction] = [],
    describe: (@Sendable (_ value: Any, _ path: String) -> String?)? = nil,
    to sink: @escaping @Sendable (String) -> Void
  ) {
    rewording = GlueDescribing.rewording(redact: redactions, describe: describe)
    ids = LastingIDs(rewording: rewording, isDiscreet: !redactions.isEmpty)
    write = sink
  }

  /// Writes an entry.
  ///
  /// - Parameter commit: the intent and its results.
  public func observe(_ commit: Commit<State>) {
    write(entry(of: commit))
  }

  private func entry(of commit: Commit<State>) -> String {
    let differences = stateDiff(commit.before, commit.after, rewording: rewording).lines
    let effects = commit.effects.enumerated().map { index, effect in
      let isUnhandled = commit.unhandled.contains(index)
      return
        "effects[\(index)]: \(text(effect))\(isUnhandled ? ", which has no handler" : "")"
    }
    let lasting =
      commit.ceasedLastingEffects.map { "ceased: " + text($0) }
      + commit.begunLastingEffects.map { "began: " + text($0) }
    let lines = differences + effects + lasting
    let first = "#\(commit.number) " + text(commit.intent) + phrase(ids.shown(commit.cause))
    if lines.isEmpty { return first + ": nothing changed" }
    return ([first] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  private func text(_ effect: LastingEffect) -> String {
    text(effect.effect) + ", id " + ids.text(of: effect.id)
  }

  private func text(_ value: Any) -> String { GlueDescribing.text(of: value, rewording: rewording) }
}

private func phrase(_ cause: Cause) -> String {
  switch cause {
  case .outside: ""
  case .effect(let index, let commit): ", from effects[\(index)] of #\(commit)"
  case .lasting(let id, let commit): ", from \(id), which lasts since #\(commit)"
  }
}
