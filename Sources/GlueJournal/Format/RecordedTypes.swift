public import Glue

/// A type of intents that a journal records under a name, which must never change (J9).
public struct RecordedIntent: Named {
  let name: String
  let type: ObjectIdentifier?
  let write: @Sendable (any Intent, Coding, inout LineBuffer) throws -> Void
  let read: @Sendable (JSON, Coding) throws -> any Intent

  private init<I: Intent>(
    _ name: String, _ type: I.Type, isWritten: Bool = true,
    write: @escaping @Sendable (I, Coding, inout LineBuffer) throws -> Void = { _, _, _ in },
    read: @escaping @Sendable (JSON, Coding) throws -> any Intent
  ) {
    self.name = name
    self.type = isWritten ? ObjectIdentifier(type) : nil
    self.write = { intent, coding, line in
      if let intent = narrowed(intent, to: I.self) { try write(intent, coding, &line) }
    }
    self.read = read
  }

  /// Records the intents of a type.
  public static func named<I: Intent & Codable>(_ name: String, _ type: I.Type) -> RecordedIntent {
    RecordedIntent(
      name, type,
      write: { intent, coding, line in try line.value(intent, coding) },
      read: { json, coding in try coding.decode(I.self, from: json) })
  }

  /// Records ``/Glue/ElementIntent`` with ids of a type, and its inner intents under their own
  /// names.
  public static func elements<ID: Hashable & Codable & Sendable>(
    _ name: String, id: ID.Type
  ) -> RecordedIntent {
    RecordedIntent(
      name, ElementIntent<ID>.self,
      write: { intent, coding, line in
        line.add(#"{"id":"#)
        try line.value(intent.id, coding)
        line.add(#","intent":"#)
        try coding.write(intent.intent, to: &line)
        line.add("}")
      },
      read: { json, coding in
        guard let members = json.members, let inner = members["intent"] else {
          throw CodingFailure("\"intent\" is missing")
        }
        let id = try coding.decode(ID.self, from: members["id"])
        return ElementIntent(id: id, intent: try coding.intent(from: inner))
      })
  }

  /// Reads intents of a name that is no longer written.
  ///
  /// The type decodes them, and `now` turns them into current intents. An error of either fails the
  /// opening.
  public static func formerly<Old: Decodable & SendableMetatype, I: Intent>(
    _ name: String, _ type: Old.Type, now: @escaping @Sendable (Old) throws -> I
  ) -> RecordedIntent {
    RecordedIntent(name, I.self, isWritten: false) { json, coding in
      try now(coding.decode(Old.self, from: json))
    }
  }
}

/// A type of effects, and whether each happens at least once (J10) or at most once.
///
/// The effects that happen at least once are recorded under a name, which must never change (J9).
public struct RecordedEffect: Named {
  let name: String
  let type: ObjectIdentifier?

  /// Whether effects of the type happen at least once.
  var isKept = true

  /// The type of the effects that are read, and that of their ids.
  let readTypes: [ObjectIdentifier]
  let write: @Sendable (any Effect, Coding, inout LineBuffer) throws -> Void
  let read: @Sendable (JSON, Coding) throws -> any Effect
  let writeID: @Sendable (any Hashable & Sendable, Coding, inout LineBuffer) throws -> Void
  let readID: @Sendable (JSON, Coding) throws -> any Hashable & Sendable

  private init<E: Effect, ID: Hashable & Codable & Sendable>(
    _ name: String, _ type: E.Type, _ id: ID.Type, isWritten: Bool = true,
    write: @escaping @Sendable (E, Coding, inout LineBuffer) throws -> Void = { _, _, _ in },
    read: @escaping @Sendable (JSON, Coding) throws -> E
  ) {
    self.name = name
    self.type = isWritten ? ObjectIdentifier(type) : nil
    readTypes = [ObjectIdentifier(type), ObjectIdentifier(id)]
    self.write = { effect, coding, line in
      if let effect = effect as? E { try write(effect, coding, &line) }
    }
    self.read = read
    writeID = { value, coding, line in
      guard let value = value as? ID else {
        let type = Swift.type(of: value)
        throw CodingFailure(
          "effect \"\(name)\" is scheduled with an id of type \(type), but the format says "
            + "\(ID.self). Write .atLeastOnce(\"\(name)\", \(E.self).self, id: \(type).self)")
      }
      try line.value(value, coding)
    }
    readID = { json, coding in try coding.decode(ID.self, from: json) }
  }

  /// Records the effects of a type, so that each happens at least once (J10).
  ///
  /// An effect scheduled with an id of another type than `id` stops the program.
  public static func atLeastOnce<E: Effect & Codable, ID: Hashable & Codable & Sendable>(
    _ name: String, _ type: E.Type, id: ID.Type = String.self
  ) -> RecordedEffect {
    RecordedEffect(
      name, E.self, id,
      write: { effect, coding, line in try line.value(effect, coding) },
      read: { json, coding in try coding.decode(E.self, from: json) })
  }

  /// Records the effects of a type; the same as ``atLeastOnce(_:_:id:)``.
  public static func named<E: Effect & Codable, ID: Hashable & Codable & Sendable>(
    _ name: String, _ type: E.Type, id: ID.Type = String.self
  ) -> RecordedEffect {
    atLeastOnce(name, type, id: id)
  }

  /// Records each ``/Glue/Send``, such as a reminder, whose intent has a name in the format.
  ///
  /// A `Send` scheduled with an id of another type than `id` stops the program.
  public static func sends<ID: Hashable & Codable & Sendable>(
    _ name: String, id: ID.Type = String.self
  ) -> RecordedEffect {
    RecordedEffect(
      name, Send.self, id,
      write: { send, coding, line in try coding.write(send.intent, to: &line) },
      read: { json, coding in Send(try coding.intent(from: json)) })
  }

  /// Declares that effects of a type aren't recorded and happen at most once.
  ///
  /// If a format names any effects, the journal reports effects of other types, once a type,
  /// because the end of the process loses them. It does not report those declared here. Declare
  /// `Send.self` if delayed ones may be lost.
  public static func atMostOnce<E: Effect>(_ type: E.Type) -> RecordedEffect {
    var effect = RecordedEffect(String(reflecting: E.self), E.self, String.self) { _, _ in
      throw CodingFailure("the format declares it .atMostOnce(\(E.self).self)")
    }
    effect.isKept = false
    return effect
  }

  /// Reads effects of a name that is no longer written, with ids of a type.
  ///
  /// The type decodes them, and `now` turns them into current effects. Their type must have a name
  /// too, with ids of the same type. An error of either fails the opening.
  public static func formerly<Old: Decodable & SendableMetatype, E: Effect, ID>(
    _ name: String, _ type: Old.Type, id: ID.Type = String.self,
    now: @escaping @Sendable (Old) throws -> E
  ) -> RecordedEffect where ID: Hashable & Codable & Sendable {
    RecordedEffect(name, E.self, id, isWritten: false) { json, coding in
      try now(coding.decode(Old.self, from: json))
    }
  }
}
