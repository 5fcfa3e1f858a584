internal import Glue
internal import GlueLogging

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

extension CommitEntry {
  /// How many differences and effects are listed.
  fileprivate static let listLimit = 50

  /// How many characters an intent or an effect may have.
  fileprivate static let textLimit = 500

  /// How many parts the new values have that are told as trees.
  private static let partLimit = 1000

  /// Describes a commit.
  ///
  /// - Parameters:
  ///   - commit: what happened.
  ///   - time: when, in microseconds since 1970.
  ///   - place: where a recording has it.
  ///   - rewording: what is shown instead of some values.
  ///   - ids: what is shown of the ids of lasting effects.
  ///   - lanes: the numbers of effects' lanes.
  init<State>(
    _ commit: Commit<State>, at time: Int, place: String?, rewording: Rewording?,
    _ ids: LastingIDs, _ lanes: Lanes
  ) {
    var room = Self.partLimit
    let listed = commit.effects.prefix(Self.listLimit).map { text(of: $0, rewording) }
    let diff = stateDiff(
      commit.before, commit.after, limit: Self.listLimit, valueLimit: StateTree.textLimit,
      rewording: rewording,
      detail: { detail(of: $0, at: $1, room: &room, rewording) })
    let values = zip(0..., diff.listed).compactMap { index, difference in
      difference.detail.map { "[\(index),\($0)]" }
    }
    let began = commit.began.prefix(Self.listLimit)
    let unlisted = commit.effects.count - listed.count + commit.began.count - began.count
    let ceased = commit.ceased.prefix(Self.listLimit).map { quoted(ids.text(of: $0.id)) }
    let inLanes = zip(0..., commit.effects.prefix(Self.listLimit)).compactMap { index, effect in
      lanes.number(of: effect).map { "[\(index),\($0)]" }
    }
    let members = [
      inLanes.isEmpty ? nil : "\"lanes\":" + array(inLanes),
      count("unlistedEffects", unlisted),
      commit.unhandled.isEmpty ? nil : "\"unhandled\":\(commit.unhandled.prefix(Self.listLimit))",
      ceased.isEmpty ? nil : "\"ceased\":" + array(ceased),
      diff.listed.isEmpty ? nil : "\"changes\":" + array(diff.listed.map(\.json)),
      count("unlistedChanges", diff.unlistedCount), count("uncompared", diff.uncomparedCount),
    ]
    let intent = text(of: commit.intent, rewording)
    let type = escaped("\(Swift.type(of: commit.intent))")
    self.init(
      number: commit.number, time: time, cause: ids.shown(commit.cause), intent: intent,
      type: intent.hasPrefix(type) ? nil : type, effects: listed,
      began: began.map { (ids.text(of: $0.id), text(of: $0.effect, rewording)) },
      changes: members.compactMap { $0 }.joined(separator: ","), values: values,
      isPartial: diff.unlistedCount + diff.uncomparedCount > 0, unlistedEffectCount: unlisted,
      place: place.map { escaped(String($0.prefix(Self.textLimit))) })
  }
}

/// A value as it would be written, with its type, which the description of a case leaves out.
private func text(of value: Any, _ rewording: Rewording?) -> String {
  func short(_ part: Any) -> String { shortDescription(of: part, limit: 100, rewording: rewording) }
  if rewording?(value, []) == nil {
    if let scheduled = value as? ScheduledEffect {
      let how = "\(short(scheduled.policy)), id: \(short(scheduled.id))"
      return "\(text(of: scheduled.effect, rewording)).scheduled(\(how))"
    }
    if let send = value as? Send { return "Send(\(text(of: send.intent, rewording)))" }
    if let cancel = value as? CancelEffects {
      return "CancelEffects(\(cancel.isPart ? "part" : "id"): \(short(cancel.id)))"
    }
  }
  let text = shortDescription(of: value, limit: CommitEntry.textLimit, rewording: rewording)
  return text.hasPrefix(".") ? escaped("\(type(of: value))") + text : text
}

/// A new value as a tree, if there is room for its parts, and it has more to it than its text.
private func detail(
  of value: Any, at path: [String], room: inout Int, _ rewording: Rewording?
) -> String? {
  if room <= 0 { return nil }
  let tree = StateTree(of: value, at: path, room: room, rewording: rewording)
  room = tree.room
  return tree.isText ? nil : tree.json
}

private func count(_ name: String, _ count: Int) -> String? {
  count == 0 ? nil : "\"\(name)\":\(count)"
}

extension Difference {
  /// The path, a sign for what has become of it, and the texts or positions that tell it.
  fileprivate var json: String {
    let path = quoted(path)
    switch change {
    case .added(let new, let position):
      return "[\(path),\"+\",\(quoted(new))\(position.map { ",\($0)" } ?? "")]"
    case .removed(let old): return "[\(path),\"-\",\(quoted(old))]"
    case .changed(let old, let new): return "[\(path),\"=\",\(quoted(old)),\(quoted(new))]"
    case .moved(let old, let new): return "[\(path),\"m\",\(old),\(new)]"
    case .replaced(let old, let new): return "[\(path),\"r\",\(old),\(new)]"
    }
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
