internal import Glue

/// Numbers lanes.
///
/// In a lane each effect makes the replies of earlier ones stale.
///
/// It keeps the lanes' values to compare them, at most 10,000, and never reuses a number.
final class Lanes: Sendable {
  private enum Lane: Hashable {
    case id(AnyHashable)
    case own(AnyHashable)
  }

  private let own: (@Sendable (any Effect) -> AnyHashable?)?
  private let known = Locked(Known())

  private struct Known {
    var numbers: [Lane: Int] = [:]
    var count = 0

    mutating func number(of lane: Lane) -> Int {
      if let number = numbers[lane] { return number }
      if numbers.count == 10_000 { numbers = [:] }
      count += 1
      numbers[lane] = count
      return count
    }
  }

  init(own: (@Sendable (any Effect) -> AnyHashable?)?) {
    self.own = own
  }

  /// The number of an effect's lane; 0 if it has an id whose replies are all wanted.
  func number(of effect: any Effect) -> Int? {
    let scheduled = effect as? ScheduledEffect
    if let lane = own?(plainEffect(effect)) { return number(of: .own(lane)) }
    return scheduled.flatMap { $0.policy.letsRepliesMeet ? number(of: .id(AnyHashable($0.id))) : 0 }
  }

  private func number(of lane: Lane) -> Int { known.withLock { $0.number(of: lane) } }
}

extension EffectPolicy {
  /// Whether a later effect of the same id can make a reply stale.
  ///
  /// If effects wait for each other, or the first one drops later ones, every reply is wanted.
  fileprivate var letsRepliesMeet: Bool {
    switch self {
    case .sequential, .leading: false
    case .latest, .restarting, .concurrent, .debounce, .throttle, .delay: true
    }
  }
}
