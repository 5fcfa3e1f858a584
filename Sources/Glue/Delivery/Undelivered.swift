/// What has not been delivered, or has not returned.
struct Undelivered: Sendable {
  /// How many deliveries the current drain took out of the outbox together; it may have made some.
  let underWay: Int
  let calls: [Call]
  let moved: Int

  /// A line each, or for those of a kind that have no names.
  var lines: [String] {
    var lines = underWay > 0 ? ["A delivery is under way"] : []
    if underWay > 1 { lines[0] += ", and up to \(underWay - 1) wait behind it" }
    var others = 0
    for call in calls {
      switch call {
      case .handling(let effect, _): lines.append("\(text(of: effect)) is queued")
      case .turn(let turn):
        if let effect = turn.unlistedEffect { lines.append("\(text(of: effect)) is queued") }
      case .closure, .telling: others += 1
      case .flush: break
      }
    }
    if others > 0 { lines.append("Other deliveries that are queued: \(others)") }
    if moved > 0 {
      lines.append(
        "Calls that were moved to a queue or the main actor and have not returned: \(moved)")
    }
    return lines
  }
}
