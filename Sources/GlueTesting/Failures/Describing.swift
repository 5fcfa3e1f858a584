internal import Glue
internal import Describing

/// An intent, an effect or another value in one line, as a test would write it.
func text(of value: Any) -> String {
  switch value {
  case let effect as any Effect where !ownEffect(effect).path.isEmpty:
    return Describing.line(for: effect, as: text)
  case let scheduled as ScheduledEffect:
    let policy = shortDescription(of: scheduled.policy, limit: 60)
    return "\(text(of: scheduled.effect)).scheduled(\(policy), id: \(text(of: scheduled.id)))"
  case let cancel as CancelEffects:
    return "CancelEffects(\(cancel.cancelsWholePart ? "part" : "id"): \(text(of: cancel.id)))"
  default:
    return Describing.text(of: value)
  }
}

/// A number with its noun.
package func count(_ number: Int, _ noun: String) -> String {
  number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
}

/// Lines, indented under the one that introduces them.
func indented(_ lines: [String]) -> String {
  lines.map { "\n  \($0)" }.joined()
}
