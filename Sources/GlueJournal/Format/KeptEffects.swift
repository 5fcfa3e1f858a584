import Glue

extension Coding {
  /// The recorded type of an effect that must happen; of a scheduled one, that of its inner effect.
  func name(of effect: any Effect) -> RecordedEffect? {
    effects.first(of: type(of: plainEffect(effect))).flatMap { $0.isKept ? $0 : nil }
  }

  /// The effects of a commit that must happen.
  func kept(_ effects: [any Effect], of commit: RecordedCommit) -> [KeptEffect] {
    effects.enumerated().filter { name(of: $1) != nil }.map { index, effect in
      let key = EffectKey(commit: commit.number, index: index)
      return KeptEffect(key: key, time: commit.time, effect: effect)
    }
  }

  /// The types of effects that the format should mention and doesn't.
  func unnamedTypes(of effects: [any Effect]) -> [any Effect.Type] {
    effects.compactMap { effect in
      let type = type(of: plainEffect(effect))
      // A `Send` without a delay has ended when its commit is delivered.
      let isExempt = type == CancelEffects.self || type == Send.self && !isDelayed(effect)
      return isExempt || self.effects.contains(type) ? nil : type
    }
  }

  private func isDelayed(_ effect: any Effect) -> Bool {
    (effect as? ScheduledEffect).map { $0.policy.parts.time > .zero } ?? false
  }

  /// Writes where an effect's part is, as an intent for it would be, `,["row",{"id":2,"intent":[]}]`;
  /// nothing for the whole.
  func writePath(of effect: any Effect, to line: inout LineBuffer) throws {
    let path = ownEffect(effect).path
    if path.isEmpty { return }
    line.add(",")
    try write(addressed(PathEnd(), to: path), to: &line)
  }

  /// An effect inside the part to which `json` leads.
  func inside(_ json: JSON, _ effect: any Effect) throws -> any Effect {
    var (path, intent) = ([any Hashable & Sendable](), try intent(from: json))
    while let (id, inner) = address(of: intent) {
      path.append(id)
      intent = inner
    }
    return effect.inside(path: path)
  }

  /// Writes an effect: `[commit,index,at,"name",value]`.
  ///
  /// For a scheduled one policy, seconds and id follow, and `false` for a throttle that keeps the
  /// first effect. Last comes the way to the effect's part, if it has one.
  func write(_ kept: KeptEffect, to line: inout LineBuffer) throws {
    let own = ownEffect(kept.effect).effect
    let scheduled = own as? ScheduledEffect
    guard let recorded = name(of: kept.effect) else {
      throw CodingFailure(
        "effects of type \(type(of: scheduled?.effect ?? own)) have no name in the format")
    }
    line.add(
      "[", kept.key.commit, ",", kept.key.index, ",", kept.time, ",", Quoted(recorded.name), ",")
    try recorded.write(scheduled?.effect ?? own, self, &line)
    if let scheduled {
      line.add(",", Quoted(scheduled.policy.parts.name), ",")
      try line.value(scheduled.policy.parts.time / .seconds(1), self)
      line.add(",")
      try recorded.writeID(scheduled.id, self, &line)
      if !scheduled.policy.parts.latest { line.add(",false") }
    }
    try writePath(of: kept.effect, to: &line)
    line.add("]")
  }

  func effect(from json: JSON) throws -> KeptEffect {
    var parts = json.elements ?? []
    // An id is at 7, and no other part after the value is an array.
    let path =
      parts.count > 5 && parts.count != 8 && parts.last?.elements != nil
      ? parts.popLast() : nil
    guard [5, 8, 9].contains(parts.count), let key = key(from: json), let time = parts[2].integer,
      let name = parts[3].text
    else { throw CodingFailure("an effect is not [commit,index,at,\"name\",value,…]") }
    return try within("effect \(key.index) of commit \(key.commit), \"\(name)\"") {
      guard let recorded = effects.first(named: name) else {
        throw CodingFailure("no effect has this name in this format; \(newerProgram)")
      }
      let effect = try recorded.read(parts[4], self)
      func kept(_ effect: any Effect) throws -> KeptEffect {
        KeptEffect(key: key, time: time, effect: try path.map { try inside($0, effect) } ?? effect)
      }
      if parts.count == 5 { return try kept(effect) }
      let seconds = try decode(Double.self, from: parts[6])
      guard let policy = EffectPolicy(parts[5].text, seconds, latest: parts.count == 8) else {
        throw CodingFailure("there is no policy of this name")
      }
      let id = try recorded.readID(parts[7], self)
      return try kept(effect.scheduled(policy, id: id))
    }
  }
}

/// Stands for the intent of a part where only the way to the part is written.
struct PathEnd: Intent {}

package func key(from json: JSON) -> EffectKey? {
  guard let parts = json.elements, parts.count >= 2, let commit = parts[0].integer,
    let index = parts[1].integer
  else { return nil }
  return EffectKey(commit: commit, index: index)
}

extension EffectPolicy {
  fileprivate var parts: (name: String, time: Duration, latest: Bool) {
    switch self {
    case .latest: ("latest", .zero, true)
    case .restarting: ("restarting", .zero, true)
    case .leading: ("leading", .zero, true)
    case .sequential: ("sequential", .zero, true)
    case .concurrent: ("concurrent", .zero, true)
    case .debounce(let time): ("debounce", time, true)
    case .throttle(let time, let latest): ("throttle", time, latest)
    case .delay(let time): ("delay", time, true)
    }
  }

  fileprivate init?(_ name: String?, _ seconds: Double, latest: Bool) {
    // Rounded, so that decimal fractions read back as they were written.
    let time = Duration.nanoseconds(Int64((min(max(0, seconds), 9e9) * 1e9).rounded()))
    let all: [EffectPolicy] = [
      .latest, .restarting, .leading, .sequential, .concurrent, .debounce(time),
      .throttle(time, latest: latest), .delay(time),
    ]
    guard let policy = all.first(where: { $0.parts.name == name }) else { return nil }
    self = policy
  }
}
