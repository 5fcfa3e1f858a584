internal import Foundation
public import Glue

/// What a journal holds of a program: its state, with a version, and the names of its intents and
/// of the effects that must happen.
///
///     let format = JournalFormat(
///       of: Todos.self, intents: [.named("todo", TodoIntent.self)],
///       effects: [.named("mail", MailEffect.self)])
///
/// Types may be renamed and moved, for the journal knows them by these names alone (J9).
public struct JournalFormat<State: Codable & Sendable>: Sendable {
  let version: Int
  let coding: Coding
  private let migrations: [Migration<State>]

  /// Describes what is recorded.
  ///
  /// A name or a type that is given twice stops the program.
  ///
  /// - Parameters:
  ///   - type: the type of the state.
  ///   - version: of the state's encoding: a larger one when states that were written before no
  ///     longer decode. A journal of a newer version is refused.
  ///   - intents: the types that are recorded. An intent of any other type is replaced by the state
  ///     after its commit (J7).
  ///   - effects: the types of the effects that must happen (J10).
  ///   - migrate: what turns states of older versions into today's.
  public init(
    of type: State.Type, version: Int = 1, intents: [RecordedIntent],
    effects: [RecordedEffect] = [], migrate: [Migration<State>] = []
  ) {
    self.version = version
    coding = Coding(intents: Names(intents), effects: Names(effects))
    migrations = migrate
  }

  /// A state that was written in a version.
  func state(from piece: JSONPiece?, version: Int) throws -> State {
    if version == self.version { return try coding.decode(State.self, from: piece) }
    if version > self.version {
      throw Undecodable(
        reason: "it is of version \(version), and this program knows versions up to \(self.version)"
      )
    }
    guard let migration = migrations.first(where: { $0.version == version }) else {
      throw Undecodable(
        reason: "it is of version \(version), from which migrate: has nothing that leads to "
          + "version \(self.version)")
    }
    return try migration.migrate(piece, coding)
  }
}

/// A type of intents that a journal records, by a name of its own.
public struct RecordedIntent: Named {
  let name: String
  let type: ObjectIdentifier?
  let write: @Sendable (any Intent, Coding, inout LineBuffer) throws -> Void
  let read: @Sendable (JSONPiece, Coding) throws -> any Intent
  var namesInner: @Sendable (any Intent, Coding) -> Bool = { _, _ in true }

  /// Records the intents of a type.
  ///
  /// - Parameters:
  ///   - name: how the journal calls the type, for ever.
  ///   - type: what it is called in the program.
  /// - Returns: what a format is made of.
  public static func named<I: Intent & Codable>(_ name: String, _ type: I.Type) -> RecordedIntent {
    RecordedIntent(
      name: name, type: ObjectIdentifier(type),
      write: { intent, coding, line in
        guard let intent = intent as? I else { throw Unnamed() }
        line.json(try coding.encode(intent))
      },
      read: { piece, coding in try coding.decode(I.self, from: piece) })
  }

  /// Records ``/Glue/ElementIntent`` with ids of a type, and the intents in it by their own names.
  ///
  /// - Parameters:
  ///   - name: how the journal calls it, for ever.
  ///   - id: the type of the ids.
  /// - Returns: what a format is made of.
  public static func elements<ID: Hashable & Codable & Sendable>(
    _ name: String, id: ID.Type
  ) -> RecordedIntent {
    typealias Element = ElementIntent<ID>
    var recorded = RecordedIntent(
      name: name, type: ObjectIdentifier(Element.self),
      write: { intent, coding, line in
        guard let intent = intent as? Element else { throw Unnamed() }
        line.text("{\"id\":")
        line.json(try coding.encode(intent.id))
        line.text(",\"intent\":")
        try coding.write(intent.intent, to: &line)
        line.text("}")
      },
      read: { piece, coding in
        guard let members = piece.members, let inner = members["intent"] else {
          throw Undecodable(reason: "there is no \"intent\"")
        }
        let id = try coding.decode(ID.self, from: members["id"])
        return Element(id: id, intent: try coding.intent(from: inner))
      })
    recorded.namesInner = { intent, coding in
      (intent as? Element).map { coding.names($0.intent) } ?? false
    }
    return recorded
  }

  /// Reads intents that are written no more as what they are now.
  ///
  /// - Parameters:
  ///   - name: the name that they were recorded by.
  ///   - type: what decodes them.
  ///   - now: turns them into intents of today.
  /// - Returns: what a format is made of.
  public static func formerly<Old: Decodable & SendableMetatype, I: Intent>(
    _ name: String, _ type: Old.Type, now: @escaping @Sendable (Old) throws -> I
  ) -> RecordedIntent {
    RecordedIntent(
      name: name, type: nil, write: { _, _, _ in throw Unnamed() },
      read: { piece, coding in try now(coding.decode(Old.self, from: piece)) })
  }
}

/// What makes today's state of one of an older version.
public struct Migration<State: Sendable>: Sendable {
  let version: Int
  let migrate: @Sendable (JSONPiece?, Coding) throws -> State

  /// Migrates from a version.
  ///
  /// - Parameters:
  ///   - version: the one in which the state was written.
  ///   - type: what decodes it.
  ///   - now: turns it into a state of today; what it throws fails the opening.
  /// - Returns: what a format is made of.
  public static func from<Old: Decodable & SendableMetatype>(
    _ version: Int, _ type: Old.Type, now: @escaping @Sendable (Old) throws -> State
  ) -> Migration {
    Migration(version: version) { piece, coding in
      try now(coding.decode(Old.self, from: piece))
    }
  }
}
