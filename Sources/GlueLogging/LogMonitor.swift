public import Glue

/// Writes a readable entry for every commit: its number, intent, cause and effects, and what it
/// changed in the state.
///
///     let store = Store(
///       state: AppState(), reducer: reducer,
///       monitors: [LogMonitor<AppState>(redact: [.path("password")])])
///
/// An entry looks like this; what is empty is left out, as is the cause of an intent from outside:
///
///     #5 AppIntent.increment
///       value: 4 → 5
///       effects[0]: AppEffect.playSound
///     #6 AppIntent.played(times: 1), from effects[0] of #5
///       plays: 0 → 1
///
/// An intent of which nothing came is marked with ": nothing changed", an effect that no handler
/// handles with ", which nobody handles". Lasting effects are listed as they begin and cease.
///
/// A log shows whatever is in the state, in intents and in effects, secrets too, unless you have
/// them redacted or their types describe themselves: a value that is `CustomStringConvertible` or
/// `CustomDebugStringConvertible` is shown as it says, and not looked into. So a secret of a type
/// whose `description` tells nothing is in no log.
///
/// A cause names a lasting effect by the description of its id, which no redaction can judge. So a log
/// that redacts anything shows only the ids of lasting effects that it has seen begin or cease.
///
/// It does no harm to what it shows. Objects and actors are not looked into, for that would take
/// their locks: they are shown by their type and a number, `Session #1`, which stays theirs while
/// they live. They are the same if they are identical or, if they are `Equatable`, equal. Weak and
/// unowned references are not read. Long values are shortened, of many differences 20 are listed,
/// and control characters, and others that are not seen, are escaped, so that an entry does nothing
/// to a terminal.
///
/// It is called as every ``/Glue/Monitor`` is, where the store delivers, so the entries are in the order
/// of commits, and a slow sink holds deliveries up. Several stores may share a sink; entries are
/// handed over whole.
///
/// - Complexity: for each commit, O(*n*) in the number of parts of what changed in the state. 20,000
///   values are looked into at most; the others are compared by their `==` alone, or counted as not
///   compared.
public struct LogMonitor<State: Sendable>: Monitor {
  private let rewording: Rewording?
  private let ids: LastingIDs
  private let write: @Sendable (String) -> Void

  /// Makes a monitor that writes to standard error, each entry at once.
  ///
  /// What cannot be written is lost, as where standard error is a pipe that nobody reads any more;
  /// no signal ends the program for it.
  ///
  /// - Parameters:
  ///   - redactions: the values that are not to be seen.
  ///   - describe: gives the text that is shown instead of a value, or nil. It is told the value's
  ///     path too, such as `session.token`, and called by any thread.
  public init(
    redact redactions: [Redaction] = [],
    describe: (@Sendable (_ value: Any, _ path: String) -> String?)? = nil
  ) {
    self.init(redact: redactions, describe: describe, to: writeToStandardError)
  }

  /// Makes a monitor that writes elsewhere.
  ///
  /// - Parameters:
  ///   - redactions: the values that are not to be seen.
  ///   - describe: gives the text that is shown instead of a value, or nil. It is told the value's
  ///     path too, such as `session.token`, and called by any thread.
  ///   - sink: takes an entry of one or more lines, without a line break at its end.
  public init(
    redact redactions: [Redaction] = [],
    describe: (@Sendable (_ value: Any, _ path: String) -> String?)? = nil,
    to sink: @escaping @Sendable (String) -> Void
  ) {
    rewording = GlueLogging.rewording(redact: redactions, describe: describe)
    ids = LastingIDs(rewording: rewording, isDiscreet: !redactions.isEmpty)
    write = sink
  }

  /// Writes an entry.
  ///
  /// - Parameter commit: what happened.
  public func observe(_ commit: Commit<State>) {
    write(entry(of: commit))
  }

  private func entry(of commit: Commit<State>) -> String {
    let differences = stateDiff(commit.before, commit.after, rewording: rewording).lines
    let effects = commit.effects.enumerated().map { index, effect in
      let isUnhandled = commit.unhandled.contains(index)
      return "effects[\(index)]: \(text(effect))\(isUnhandled ? ", which nobody handles" : "")"
    }
    let lasting =
      commit.ceased.map { "ceased: " + text($0) } + commit.began.map { "began: " + text($0) }
    let lines = differences + effects + lasting
    let first = "#\(commit.number) " + text(commit.intent) + phrase(ids.shown(commit.cause))
    if lines.isEmpty { return first + ": nothing changed" }
    return ([first] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  private func text(_ effect: LastingEffect) -> String {
    text(effect.effect) + ", id " + ids.text(of: effect.id)
  }

  private func text(_ value: Any) -> String { Glue.text(of: value, rewording: rewording) }
}

private func phrase(_ cause: Cause) -> String {
  switch cause {
  case .outside: ""
  case .effect(let index, let commit): ", from effects[\(index)] of #\(commit)"
  case .lasting(let id, let commit): ", from \(id), which lasts since #\(commit)"
  }
}
