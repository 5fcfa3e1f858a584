/// What has not been delivered, or has not returned.
struct Undelivered: Sendable {
  let isUnderWay: Bool
  let calls: [Call]
  let moved: Int

  /// A line each, or for those of a kind that have no names.
  var lines: [String] {
    var lines = isUnderWay ? ["A delivery is under way"] : []
    var others = 0
    for call in calls {
      switch call {
      case .handling(let effect, _): lines.append("\(text(of: effect)) is queued")
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
