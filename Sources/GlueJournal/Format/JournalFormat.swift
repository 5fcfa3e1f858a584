internal import Foundation
import Glue

/// What a journal holds of a program: its state, with a version, and the names of its intents and
/// of the effects that must happen.
///
///     let format = JournalFormat(
///       of: Todos.self, intents: [.named("todo", TodoIntent.self)],
///       effects: [.named("mail", MailEffect.self)])
///
/// Types may be renamed and moved, for the journal knows them by these names alone (J9).
public struct JournalFormat<State: Codable & Sendable>: Sendable {
  let coding: Coding

  /// Describes what is recorded.
  ///
  /// A name or a type that is given twice stops the program, and so does a former effect whose type
  /// of today has no name.
  ///
  /// - Parameters:
  ///   - type: the type of the state.
  ///   - version: of the state's encoding: a larger one when states that were written before no
  ///     longer decode. A journal of a newer version is refused.
  ///   - intents: the types that are recorded. An intent of any other type is replaced by the state
  ///     after its commit (J7).
  ///   - effects: the types of the effects that must happen (J10). Where any are given, others that
  ///     reducers return are reported, unless they are ``RecordedEffect/atMostOnce(_:)``.
  ///   - migrate: what turns states of older versions into today's.
  public init(
    of type: State.Type, version: Int = 1, intents: [RecordedIntent],
    effects: [RecordedEffect] = [], migrate: [Migration<State>] = []
  ) {
    stopForRepetition(in: intents)
    stopForRepetition(in: effects)
    for former in effects where former.type == nil {
      let today = effects.contains { $0.type != nil && $0.readTypes == former.readTypes }
      if !today { stopForFormerEffect(former.name) }
    }
    coding = Coding(intents: intents, effects: effects, version: version) { json, old, coding in
      if old == version { return try coding.decode(State.self, from: json) }
      let migration = migrate.first { $0.version == old }
      guard let migration, old < version else {
        throw CodingFailure(
          "it is of version \(old), "
            + (old > version
              ? "and this program knows versions up to \(version)"
              : "from which migrate: has nothing that leads to version \(version)"))
      }
      return try migration.migrate(json, coding)
    }
  }
}

/// What makes today's state of one of an older version.
public struct Migration<State: Sendable>: Sendable {
  let version: Int
  let migrate: @Sendable (JSON?, Coding) throws -> State

  /// Migrates from the version in which a state was written.
  ///
  /// The type decodes it, and `now` turns it into a state of today; an error of either fails the
  /// opening.
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
    Glue: a JournalFormat names two types "\(name)"; what is read could not be told apart.
      Wrong: intents: [.named("todo", TodoIntent.self), .named("todo", ListIntent.self)]
      Right: intents: [.named("todo", TodoIntent.self), .named("list", ListIntent.self)]
    """)
}

private func stopForTypeNamedTwice(_ names: [String]) -> Never {
  fatalError(
    """
    Glue: a JournalFormat names one type twice, among \(names.joined(separator: ", ")); how it is \
    written would be left to chance.
      Wrong: intents: [.named("todo", TodoIntent.self), .named("task", TodoIntent.self)]
      Right: intents: [.named("task", TodoIntent.self), .formerly("todo", TodoIntent.self) { $0 }]
    """)
}

private func stopForFormerEffect(_ name: String) -> Never {
  fatalError(
    """
    Glue: a JournalFormat reads former effects "\(name)" as a type that it does not name, with ids \
    of that type; they could not be recorded again.
      Wrong: effects: [.formerly("\(name)", OldMail.self, id: Int.self) { Mail($0) }]
      Right: effects: [.formerly("\(name)", OldMail.self, id: Int.self) { Mail($0) },
               .named("mail", Mail.self, id: Int.self)]
    """)
}
