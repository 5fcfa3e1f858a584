internal import Foundation
public import Glue

/// A type of effects that must happen, by a name of its own (J10).
public struct RecordedEffect: Named {
  let name: String
  let type: ObjectIdentifier?
  let write: @Sendable (any Effect, Coding) throws -> Data
  let read: @Sendable (JSONPiece, Coding) throws -> any Effect
  let writeID: @Sendable (any Hashable & Sendable, Coding) throws -> Data
  let schedule: @Sendable (any Effect, EffectPolicy, JSONPiece, Coding) throws -> any Effect

  /// Records the effects of a type, so that each happens at least once.
  ///
  /// - Parameters:
  ///   - name: how the journal calls the type, for ever.
  ///   - type: what it is called in the program.
  ///   - id: the type of the ids that its effects are scheduled with. One of another type stops
  ///     the program with the first such effect.
  /// - Returns: what a format is made of.
  public static func named<E: Effect & Codable, ID: Hashable & Codable & Sendable>(
    _ name: String, _ type: E.Type, id: ID.Type = String.self
  ) -> RecordedEffect {
    RecordedEffect(
      name, E.self, id,
      write: { effect, coding in
        guard let effect = effect as? E else { throw Unnamed() }
        return try coding.encode(effect)
      },
      read: { piece, coding in try coding.decode(E.self, from: piece) })
  }

  /// Records each ``/Glue/Send``, such as a reminder, whose intent has a name in the format.
  ///
  /// - Parameters:
  ///   - name: how the journal calls it, for ever.
  ///   - id: the type of the ids that they are scheduled with.
  /// - Returns: what a format is made of.
  public static func sends<ID: Hashable & Codable & Sendable>(
    _ name: String, id: ID.Type = String.self
  ) -> RecordedEffect {
    RecordedEffect(
      name, Send.self, id,
      write: { effect, coding in
        guard let send = effect as? Send else { throw Unnamed() }
        var line = LineBuffer()
        try coding.write(send.intent, to: &line)
        return Data(line.bytes)
      },
      read: { piece, coding in Send(try coding.intent(from: piece)) })
  }

  private init<ID: Hashable & Codable & Sendable>(
    _ name: String, _ type: any Effect.Type, _ id: ID.Type,
    write: @escaping @Sendable (any Effect, Coding) throws -> Data,
    read: @escaping @Sendable (JSONPiece, Coding) throws -> any Effect
  ) {
    self.name = name
    self.type = ObjectIdentifier(type)
    self.write = write
    self.read = read
    writeID = { value, coding in
      guard let value = value as? ID else {
        throw Undecodable(
          reason: "the id \(value) of effect \"\(name)\" is no \(ID.self), as its format says")
      }
      return try coding.encode(value)
    }
    schedule = { effect, policy, piece, coding in
      effect.scheduled(policy, id: try coding.decode(ID.self, from: piece))
    }
  }
}

extension Coding {
  /// What an effect is called, if it must happen; a scheduled one by what it schedules.
  func name(of effect: any Effect) -> RecordedEffect? {
    effects[typeOf: (effect as? ScheduledEffect)?.effect ?? effect]
  }

  /// An effect as it is written: `[commit,index,at,"name",value]`, and if it is scheduled, its
  /// policy, seconds and id.
  func json(of effect: any Effect, _ key: EffectKey, at time: Int) throws -> [UInt8]? {
    guard let recorded = name(of: effect) else { return nil }
    let scheduled = effect as? ScheduledEffect
    var line = LineBuffer()
    line.text("[")
    for number in [key.commit, key.index, time] {
      line.integer(number)
      line.text(",")
    }
    line.string(recorded.name)
    line.text(",")
    line.json(try recorded.write(scheduled?.effect ?? effect, self))
    if let scheduled {
      line.text(",")
      line.string(scheduled.policy.name)
      line.text(",")
      line.json(try encode(scheduled.policy.seconds))
      line.text(",")
      line.json(try recorded.writeID(scheduled.id, self))
    }
    line.text("]")
    return line.bytes
  }

  func effect(from piece: JSONPiece) throws -> ReadEffect {
    guard let parts = piece.elements, parts.count == 5 || parts.count == 8,
      let key = key(from: piece), let time = parts[2].integer, let name = parts[3].text
    else { throw Undecodable(reason: "an effect is not written as one") }
    let place = "effect \(key.index) of commit \(key.commit), \"\(name)\""
    guard let recorded = effects[name] else {
      throw Undecodable(reason: "\(place): no effect has this name in this format")
    }
    do {
      var effect = try recorded.read(parts[4], self)
      if parts.count == 8 {
        let seconds = try decode(Double.self, from: parts[6])
        guard let policy = EffectPolicy(parts[5].text, seconds) else {
          throw Undecodable(reason: "there is no such policy")
        }
        effect = try recorded.schedule(effect, policy, parts[7], self)
      }
      return ReadEffect(key: key, time: time, effect: effect, json: Array(piece.raw))
    } catch let error as Undecodable { throw Undecodable(reason: "\(place): \(error.reason)") }
  }
}

extension EffectPolicy {
  fileprivate var name: String {
    switch self {
    case .latest: "latest"
    case .replacing: "replacing"
    case .leading: "leading"
    case .sequential: "sequential"
    case .debounce: "debounce"
    case .throttle: "throttle"
    case .delay: "delay"
    }
  }

  fileprivate var seconds: Double {
    switch self {
    case .latest, .replacing, .leading, .sequential: 0
    case .debounce(let time), .throttle(let time), .delay(let time): time / .seconds(1)
    }
  }

  fileprivate init?(_ name: String?, _ seconds: Double) {
    let time = Duration.seconds(min(max(seconds, 0), 1e10))
    switch name {
    case "latest": self = .latest
    case "replacing": self = .replacing
    case "leading": self = .leading
    case "sequential": self = .sequential
    case "debounce": self = .debounce(time)
    case "throttle": self = .throttle(time)
    case "delay": self = .delay(time)
    default: return nil
    }
  }
}
