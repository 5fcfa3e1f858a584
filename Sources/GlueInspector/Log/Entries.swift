internal import Glue

/// An entry of an inspector's log.
///
/// It holds texts, and none of the values themselves.
enum Entry: Sendable {
  case commit(CommitEntry)
  case effect(EffectEntry)

  /// One line of JSON.
  var line: String {
    switch self {
    case .commit(let commit): commit.line
    case .effect(let effect): effect.line
    }
  }
}

struct CommitEntry: Sendable {
  let number: Int

  /// In microseconds since 1970.
  let time: Int

  let cause: Cause
  let intent: String

  /// The type of the intent, if its text does not begin with it.
  let type: String?

  let effects: [String]

  /// The lasting effects that began, with their ids.
  let began: [(id: String, effect: String)]

  /// The changes, the lasting effects that ceased, and the unlisted counts, as members of a JSON
  /// object.
  let changes: String

  /// The new values that have parts, as JSON trees, each with the index of its change.
  let values: [String]

  /// Whether the commit changed more than is listed.
  let isPartial: Bool

  let unlistedEffectCount: Int

  /// The place in a recording.
  let place: String?

  /// The whole state as a JSON tree, if the log keeps it.
  var tree: String?

  /// The size of the changes, in bytes.
  var changeBytes: Int { values.reduce(changes.utf8.count) { $0 + $1.utf8.count } }

  var line: String {
    let members = [
      "\"number\":\(number),\"time\":\(seconds(time)),\"intent\":\(quoted(intent))",
      type.map { "\"type\":\(quoted($0))" },
      cause.json.map { "\"cause\":{\($0)}" },
      effects.isEmpty ? nil : "\"effects\":" + array(effects.map(quoted)),
      began.isEmpty ? nil : "\"began\":" + array(began.map { array([$0, $1].map(quoted)) }),
      place.map { "\"place\":\(quoted($0))" },
    ]
    return "{" + (members + stateMembers).compactMap { $0 }.joined(separator: ",") + "}"
  }

  /// The parts that give the commit's state, as JSON.
  var baseLine: String {
    let members = ["\"number\":\(number)"] + stateMembers.compactMap { $0 }
    return "{" + members.joined(separator: ",") + "}"
  }

  private var stateMembers: [String?] {
    [
      changes.isEmpty ? nil : changes,
      values.isEmpty ? nil : "\"values\":" + array(values),
      tree.map { "\"state\":\($0)" },
    ]
  }
}

/// An effect's start, end or cancellation.
struct EffectEntry: Sendable {
  let kind: EffectEvent.Kind
  let cause: Cause

  /// In microseconds since 1970.
  let time: Int

  /// Whether its commit lists the effect.
  var isListed: Bool {
    if case .effect(let index, _) = cause { index < CommitEntry.listLimit } else { true }
  }

  var line: String { "{\(cause.json ?? ""),\"is\":\"\(kind)\",\"time\":\(seconds(time))}" }
}

extension Cause {
  /// The effect, as members of a JSON object; nil if the cause is from outside.
  var json: String? {
    switch self {
    case .outside: nil
    case .effect(let index, let commit): "\"effect\":\(index),\"of\":\(commit)"
    case .lasting(let id, let commit): "\"lasting\":\(quoted(id)),\"of\":\(commit)"
    }
  }
}
