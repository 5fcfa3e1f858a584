internal import Foundation
import Glue

/// Describes what a journal records of a program: its state, with a version, and the names of its
/// intents and of the effects that happen at least once.
///
///     let format = JournalFormat(
///       of: Todos.self, intents: [.named("todo", TodoIntent.self)],
///       effects: [.atLeastOnce("mail", MailEffect.self)])
///
/// You may rename and move types, because the journal knows them by these names alone (J9).
public struct JournalFormat<State: Codable & Sendable>: Sendable {
  let coding: Coding

  /// Makes a format.
  ///
  /// A name or a type given twice stops the program. So does a former effect whose current type has
  /// no name.
  ///
  /// - Parameters:
  ///   - type: the type of the state.
  ///   - version: the version of the state's encoding. Raise it when earlier states no longer
  ///     decode, and when a property is removed or renamed. Opening refuses a journal of a newer
  ///     version.
  ///   - intents: the recorded types. For an intent of any other type the journal records the state
  ///     after its commit instead (J7).
  ///   - effects: the types of the effects that happen at least once (J10). If there are any, the
  ///     journal reports other effects that reducers return, unless they are
  ///     ``RecordedEffect/atMostOnce(_:)``.
  ///   - migrate: the migrations from older versions to this one.
  ///   - formerProperties: properties of recorded states that the state's type no longer encodes,
  ///     although the version is the same, by their paths: `"notes"`, `"rooms[].topic"` for the
  ///     elements of an array, `"rooms.*.topic"` for the values of a dictionary. The type decodes
  ///     them under their old names, or leaves out values that are no longer needed. Opening reports
  ///     or refuses all others that it finds, as ``OnDivergence`` says, because the next recorded
  ///     state would not have them (J9).
  public init(
    of type: State.Type, version: Int = 1, intents: [RecordedIntent],
    effects: [RecordedEffect] = [], migrate: [Migration<State>] = [],
    formerProperties: [String] = []
  ) {
    stopForRepetition(in: intents)
    stopForRepetition(in: effects)
    for former in effects where former.type == nil {
      let today = effects.contains { $0.type != nil && $0.readTypes == former.readTypes }
      if !today { stopForFormerEffect(former.name) }
    }
    coding = Coding(
      intents: intents, effects: effects, version: version, formerProperties: formerProperties
    ) { json, old, coding in
      if old == version { return try coding.decode(State.self, from: json) }
      let migration = migrate.first { $0.version == old }
      guard let migration, old < version else {
        throw CodingFailure(
          "it has version \(old), but "
            + (old > version
              ? "this program reads versions up to \(version)"
              : "migrate: has nothing from there to version \(version)"))
      }
      return try migration.migrate(json, coding)
    }
  }
}

/// Turns a state of an older version into one of the current version.
public struct Migration<State: Sendable>: Sendable {
  let version: Int
  let migrate: @Sendable (JSON?, Coding) throws -> State

  /// Migrates states of one older version.
  ///
  /// The type decodes the old state, and `now` turns it into a current one. An error of either
  /// fails the opening.
  public static func from<Old: Decodable & SendableMetatype>(
    _ version: Int, _ type: Old.Type, now: @escaping @Sendable (Old) throws -> State
  ) -> Migration {
    Migration(version: version) { json, coding in try now(coding.decode(Old.self, from: json)) }
  }
}

private func stopForRepetition(in named: [some Named]) {
  for (index, one) in named.enumerated() {
    for other in named[..<index] {
      if other.name == one.name { stopForNameGivenTwice(one.name) }
      if other.type != nil && other.type == one.type { stopForTypeNamedTwice(named.map(\.name)) }
    }
  }
}

private func stopForNameGivenTwice(_ name: String) -> Never {
  fatalError(
    """
    Glue: a JournalFormat names two types "\(name)", so their records would look the same.
      Wrong: intents: [.named("todo", TodoIntent.self), .named("todo", ListIntent.self)]
      Right: intents: [.named("todo", TodoIntent.self), .named("list", ListIntent.self)]
    """)
}

private func stopForTypeNamedTwice(_ names: [String]) -> Never {
  fatalError(
    """
    Glue: a JournalFormat names one type twice, among \(names.joined(separator: ", ")), so the \
    name to record would be ambiguous.
      Wrong: intents: [.named("todo", TodoIntent.self), .named("task", TodoIntent.self)]
      Right: intents: [.named("task", TodoIntent.self), .formerly("todo", TodoIntent.self) { $0 }]
    """)
}

private func stopForFormerEffect(_ name: String) -> Never {
  fatalError(
    """
    Glue: a JournalFormat reads former effects "\(name)" as a type that it does not name with ids of \
    that type, so it could not record them again.
      Wrong: effects: [.formerly("\(name)", OldMail.self, id: Int.self) { Mail($0) }]
      Right: effects: [.formerly("\(name)", OldMail.self, id: Int.self) { Mail($0) },
               .atLeastOnce("mail", Mail.self, id: Int.self)]
    """)
}
