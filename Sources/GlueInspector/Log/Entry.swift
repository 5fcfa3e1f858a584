internal import Glue

/// What an inspector keeps of what has happened: texts, none of the values themselves.
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

  /// The type of the intent, where its text does not begin with that.
  let type: String?

  let effects: [String]

  /// The effects that began to last, with their ids.
  let began: [(id: String, effect: String)]

  /// What it changed, what ceased to last, and how much is not listed, as members of a JSON object.
  let changes: String

  /// The new values among these that have parts, as trees, each with its place, in JSON.
  let values: [String]

  /// Whether it changed more than that tells.
  let isPartial: Bool

  let unlistedEffectCount: Int

  /// Where a recording has it.
  let place: String?

  /// The whole state, if that is kept of it, as a tree in JSON.
  var tree: String?

  /// How many bytes tell what it changed.
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

  /// What tells its state, as JSON.
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

/// That an effect has begun, ended or been cancelled.
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
  /// The effect that it is, if it is one, as members of a JSON object.
  var json: String? {
    switch self {
    case .outside: nil
    case .effect(let index, let commit): "\"effect\":\(index),\"of\":\(commit)"
    case .lasting(let id, let commit): "\"lasting\":\(quoted(id)),\"of\":\(commit)"
    }
  }
}
