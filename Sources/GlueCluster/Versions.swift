public import Glue

/// A version of a reducer, and the migration to its state from the version before.
///
///     versions: [
///       .version(1, reducer: boardOf1),
///       .version(2, reducer: board, adds: { $0 is Rename }) { state in
///         state.title = state.lines.first ?? ""
///       }]
///
/// The log records the version in force, and every replica reduces with that one.
/// ``SharedStore/upgrade(to:without:)`` moves all of them to a newer one.
///
/// The state has one type, which only grows, and the program before leaves new properties out. So
/// each is optional, or `init(from:)` reads it by `decodeIfPresent`. A default value alone doesn't
/// do, because synthesized `Codable` ignores it. `checkUpgrade` checks that.
public struct SharedVersion<State: Sendable>: Sendable {
  let number: Int
  let reducer: Reducer<State>
  let adds: @Sendable (any Intent) -> Bool
  let migrate: @Sendable (inout State) throws -> Void

  /// Describes a version.
  ///
  /// - Parameters:
  ///   - number: one more than the number of the version before.
  ///   - reducer: reduces shared intents. It must give the same result on every machine: no clocks,
  ///     no random numbers, no order of a `Set` or a `Dictionary`.
  ///   - adds: returns true for an intent that the version before can't read. Such an intent isn't
  ///     sent until the upgrade. It is called with an ``/Glue/ElementIntent`` and with the intent
  ///     inside. An intent whose name a live replica doesn't know isn't sent either, but only `adds`
  ///     knows a new case of an enum that has a name already.
  ///   - migrate: turns the previous version's state into this one's; if it throws, nothing is
  ///     upgraded.
  /// - Returns: a version for a ``SharedStore``.
  public static func version(
    _ number: Int, reducer: @escaping Reducer<State>,
    adds: @escaping @Sendable (any Intent) -> Bool,
    migrate: @escaping @Sendable (inout State) throws -> Void = { _ in }
  ) -> SharedVersion {
    SharedVersion(number: number, reducer: reducer, adds: adds, migrate: migrate)
  }

  /// Describes a version that adds no intents.
  public static func version(
    _ number: Int, reducer: @escaping Reducer<State>,
    migrate: @escaping @Sendable (inout State) throws -> Void = { _ in }
  ) -> SharedVersion {
    .version(number, reducer: reducer, adds: { _ in false }, migrate: migrate)
  }

  /// Describes a version by a reducer of one type of intents.
  public static func version<I: Intent>(
    _ number: Int, reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    adds: @escaping @Sendable (any Intent) -> Bool,
    migrate: @escaping @Sendable (inout State) throws -> Void = { _ in }
  ) -> SharedVersion {
    .version(number, reducer: reduce(reducer), adds: adds, migrate: migrate)
  }

  /// Describes a version by a reducer of one type of intents, without new ones.
  public static func version<I: Intent>(
    _ number: Int, reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    migrate: @escaping @Sendable (inout State) throws -> Void = { _ in }
  ) -> SharedVersion {
    .version(number, reducer: reduce(reducer), migrate: migrate)
  }
}

/// The versions that a program knows, numbered without gaps.
struct Versions<State: Sendable>: Sendable {
  private let all: [SharedVersion<State>]

  var known: ClosedRange<Int> { all[0].number...all[0].number + all.count - 1 }

  init(_ all: [SharedVersion<State>]) {
    let first = all.first?.number ?? 0
    guard first > 0 && all.map(\.number) == Array(first..<first + all.count) else {
      fatalError(
        """
        Glue: the versions of a SharedStore are numbered one after the other, from 1 or more.
          Wrong: versions: [.version(1, reducer: old), .version(3, reducer: new)]
          Right: versions: [.version(1, reducer: old), .version(2, reducer: new)]
        """)
    }
    self.all = all
  }

  subscript(number: Int) -> SharedVersion<State>? {
    known.contains(number) ? all[number - known.lowerBound] : nil
  }

  /// The version that an intent requires: the newest that added it or the intent inside it.
  func needed(by intent: any Intent) -> Int? {
    let inner = address(of: intent).flatMap { needed(by: $0.intent) }
    let outer = all.last { $0.adds(intent) }?.number
    return inner.map { max($0, outer ?? 0) } ?? outer
  }
}
