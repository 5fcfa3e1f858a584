/// Writes a readable entry for every commit: its number, intent, cause and effects, and what it
/// changed in the state.
///
///     let store = Store(
///       state: AppState(), reducer: reducer, monitors: [LogMonitor<AppState>()])
///
/// An entry looks like this; what is empty is left out, as is the cause of an intent from outside:
///
///     #5 AppIntent.increment
///       value: 4 → 5
///       effects[0]: AppEffect.playSound
///     #6 AppIntent.played(times: 1), from effects[0] of #5
///       plays: 0 → 1
///
/// Long values are shortened, of many differences 20 are listed, and control characters are
/// escaped, so that an entry does nothing to a terminal.
///
/// It is called as every ``Monitor`` is, where the store delivers, so the entries are in the order
/// of commits, and a slow sink holds deliveries up. Several stores may share a sink; entries are
/// handed over whole.
///
/// - Complexity: for each commit, O(*n*) in the number of parts of what changed in the state.
public struct LogMonitor<State: Sendable>: Monitor {
  private let write: @Sendable (String) -> Void

  /// Makes a monitor that writes to standard error, each entry at once.
  public init() {
    write = writeToStandardError
  }

  /// Makes a monitor that writes elsewhere.
  ///
  /// - Parameter sink: takes an entry of one or more lines, without a line break at its end.
  public init(to sink: @escaping @Sendable (String) -> Void) {
    write = sink
  }

  /// Writes an entry.
  ///
  /// - Parameter commit: what happened.
  public func observe(_ commit: Commit<State>) {
    write(entry(of: commit))
  }
}

private func entry<State>(of commit: Commit<State>) -> String {
  let differences = stateDiff(commit.before, commit.after).lines
  let effects = commit.effects.enumerated().map { "effects[\($0)]: " + named($1) }
  let first = "#\(commit.number) " + named(commit.intent) + phrase(commit.cause)
  return ([first] + (differences + effects).map { "  " + $0 }).joined(separator: "\n")
}

private func phrase(_ cause: Cause) -> String {
  switch cause {
  case .outside: ""
  case .effect(let index, let commit): ", from effects[\(index)] of #\(commit)"
  }
}

/// A value with its type, which the description of a case leaves out.
private func named(_ value: Any) -> String {
  let text = shortDescription(of: value, limit: 200)
  return text.hasPrefix(".") ? escaped("\(type(of: value))") + text : text
}
