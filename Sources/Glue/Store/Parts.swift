/// Where the parts with ids are in a state, so that a store can end their effects with them.
///
///     store.endEffects(with: .each(\.rows), .part(\.detail, id: Screen.detail))
///
/// Parts nest as their reducers do:
///
///     .each(\.lists, .each(\.rows)),
///     .within(\.settings, .each(\.accounts)),
///
/// A recursion names itself in a function, `func rows() -> Parts<Row> { .each(\.rows, rows()) }`,
/// because the inner parts are asked for only where an outer one is found.
public struct Parts<Whole>: Sendable {
  /// Whether the part to which ids lead is there; nil if they lead to none of these parts.
  fileprivate let contain: @Sendable (Whole, ArraySlice<any Hashable & Sendable>) -> Bool?

  /// The elements of an array, as `forEach` lifts their reducer, and the parts in each.
  ///
  /// - Complexity: O(*n*) to find an element.
  public static func each<Element: Identifiable & SendableMetatype>(
    _ keyPath: any KeyPath<Whole, [Element]> & Sendable,
    _ inner: @autoclosure @escaping @Sendable () -> Parts<Element>? = nil
  ) -> Parts where Element.ID: Sendable {
    Parts { whole, path in
      guard let id = path.first as? Element.ID else { return nil }
      let element = whole[keyPath: keyPath].first { $0.id == id }
      return contains(element, path, inner)
    }
  }

  /// The elements of a dictionary, as `forEach` lifts their reducer, and the parts in each.
  public static func each<ID: Hashable & Sendable, Element>(
    _ keyPath: any KeyPath<Whole, [ID: Element]> & Sendable,
    _ inner: @autoclosure @escaping @Sendable () -> Parts<Element>? = nil
  ) -> Parts {
    Parts { whole, path in
      guard let id = path.first as? ID else { return nil }
      return contains(whole[keyPath: keyPath][id], path, inner)
    }
  }

  /// An optional part with an id, as `withKey(_:id:use:)` lifts its reducer, and the parts in it.
  public static func part<Part, ID: Hashable & Sendable>(
    _ keyPath: any KeyPath<Whole, Part?> & Sendable, id: ID,
    _ inner: @autoclosure @escaping @Sendable () -> Parts<Part>? = nil
  ) -> Parts {
    Parts { whole, path in
      guard path.first as? ID == id else { return nil }
      return contains(whole[keyPath: keyPath], path, inner)
    }
  }

  /// The parts of a part without an id, as `withKey(_:use:)` lifts its reducer.
  public static func within<Part>(
    _ keyPath: any KeyPath<Whole, Part> & Sendable, _ inner: Parts<Part>
  ) -> Parts {
    Parts { whole, path in inner.contain(whole[keyPath: keyPath], path) }
  }
}

/// Whether a part is there, and what the rest of a path leads to in it.
private func contains<Part>(
  _ part: Part?, _ path: ArraySlice<any Hashable & Sendable>, _ inner: () -> Parts<Part>?
) -> Bool? {
  guard let part else { return false }
  return path.count == 1 ? true : inner()?.contain(part, path.dropFirst())
}

extension Store {
  /// Ends the effects of parts that are gone, from now on.
  ///
  /// Without it, the effects of a removed part end where a reducer returns ``CancelEffects/init(part:)``.
  /// With it, they also end at the commit in which an undo, a new state, or a reducer that forgets to
  /// do so has removed the part: from then on no intent comes from them (G11). An effect that this
  /// commit itself has emitted for the part ends too, which debug builds report: let the reducer that
  /// removes the part return it. Effects of the whole with a ``PartID`` stay. Effects that
  /// an earlier process has left begin with the store, before this call can end them.
  ///
  /// After each commit, the store looks for each part that has effects which haven't ended: an
  /// optional's part costs a comparison of ids, an array's a search. It doesn't look for parts without
  /// effects, and a store without effects in parts looks for none. So a few requests of visible rows
  /// cost next to nothing; a timer in each of ten thousand rows of an array costs each commit a hundred
  /// million comparisons, but in a dictionary ten thousand.
  ///
  /// If two collections have ids of one type, a part that either of them holds is there. A part that is
  /// replaced by another one with its id keeps its effects.
  ///
  /// - Parameter parts: where the parts are, in addition to those of earlier calls; key paths and ids
  ///   are followed under the lock (G7).
  public func endEffects(with parts: Parts<State>...) {
    change { core, thread in
      core.useCompany().parts += parts
      core.endEffectsOfMissingParts()
    }
  }
}

extension Core {
  /// Cancels the effects of parts that the state doesn't hold any more.
  @usableFromInline
  mutating func endEffectsOfMissingParts() {
    guard let parts = company?.parts, !parts.isEmpty else { return }
    let state = state
    runtime.effects.cancelParts { path in
      let found = parts.compactMap { $0.contain(state, path[...]) }
      return !found.isEmpty && !found.contains(true)
    }
  }
}
