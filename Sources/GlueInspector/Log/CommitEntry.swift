internal import Glue
internal import GlueDescribing

extension CommitEntry {
  /// How many differences and effects an entry lists.
  static let listLimit = 50

  /// The longest place, in characters.
  private static let placeLimit = 5000

  /// The longest text of an intent or an effect, in characters.
  fileprivate static let textLimit = 500

  /// How many parts the trees of new values have together.
  private static let partLimit = 1000

  /// Describes a commit.
  ///
  /// - Parameters:
  ///   - commit: the commit.
  ///   - time: its time, in microseconds since 1970.
  ///   - place: its place in a recording.
  ///   - rewording: the texts that replace some values.
  ///   - ids: the texts of lasting effects' ids.
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
    let allBegun = commit.begunLastingEffects
    let began = allBegun.prefix(Self.listLimit)
    let unlisted = commit.effects.count - listed.count + allBegun.count - began.count
    let ceased = commit.ceasedLastingEffects.prefix(Self.listLimit)
      .map { quoted(ids.text(of: $0.id)) }
    let inLanes = zip(0..., commit.effects.prefix(Self.listLimit)).compactMap { index, effect in
      lanes.number(of: effect).map { "[\(index),\($0)]" }
    }
    let members = [
      list("lanes", inLanes), count("unlistedEffects", unlisted),
      list("unhandled", commit.unhandled.prefix(Self.listLimit).map { "\($0)" }),
      list("ceased", ceased), list("changes", diff.listed.map(\.json)),
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
      place: place.map { escaped(String($0.prefix(Self.placeLimit))) })
  }
}

/// Describes an intent or an effect.
private func text(of value: Any, _ rewording: Rewording?) -> String {
  text(of: value, limit: CommitEntry.textLimit, rewording: rewording)
}

/// Returns a new value as a tree, if there is room for its parts and it is more than its text.
private func detail(
  of value: Any, at path: [String], room: inout Int, _ rewording: Rewording?
) -> String? {
  if room <= 0 { return nil }
  let tree = StateTree(of: value, at: path, room: room, rewording: rewording)
  room = tree.room
  return tree.isText ? nil : tree.json
}

private func list(_ name: String, _ elements: [String]) -> String? {
  elements.isEmpty ? nil : "\"\(name)\":" + array(elements)
}

private func count(_ name: String, _ count: Int) -> String? {
  count == 0 ? nil : "\"\(name)\":\(count)"
}

extension Difference {
  /// The path, a sign for the kind of change, and its texts or positions.
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
