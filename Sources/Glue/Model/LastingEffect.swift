/// An effect that lasts for as long as the state says so, as a subscription does in Elm: a poll, a
/// tail of the selected file, a connection.
///
/// No reducer returns it. A store's `lasting:` is a pure function that derives from the state the
/// effects that last now. The store starts, changes and stops them as the state changes, for any
/// reason. So undo and a restored state need nothing special:
///
///     let store = Store(
///       state: Tower(), reducer: tower,
///       lasting: { state in
///         (state.isPolling ? [WatchEffect.poll(every: state.interval).lasting(id: "poll")] : [])
///           + (state.log.map { [WatchEffect.tail($0).lasting(id: "tail")] } ?? [])
///       })
///
/// - Each asynchronous handler of the effect's type runs it once, in a task, for as long as the
///   effect lasts. A handler that is added later runs the effects that last then.
/// - After each commit the store compares the set with the one before. An effect with the same id
///   that is equal continues untouched. An effect that is gone, or replaced by another of its id,
///   is canceled at that commit: no intent that it dispatches is reduced any more (G11).
/// - A new one starts after the commit's own effects, in the order of the array, as soon as no task
///   of a lasting effect of its id is left. So two of an id never overlap.
/// - An effect has ended when its tasks have returned. It starts again only after a commit without
///   its id, or with another effect.
/// - Its id is separate from those of scheduled effects: no policy and no ``CancelEffects`` affects
///   it. ``Store/settled()`` and ``Store/perform(_:)`` don't wait for it. ``Store/shutdown()`` and
///   the release of the store cancel it.
///
/// Two are equal if their ids and effects are.
///
/// Each commit of the store calls the function, and compares the *n* effects that it returns with
/// the *n* before, which is O(*n*) even where nothing changed. Each of them costs the commit about
/// as much as ten dispatches without effects. So return a handful: what should run now, not an
/// effect for each of a thousand rows. For many of a kind, let one effect's handler serve them all,
/// or schedule effects whose id is a ``PartID``.
public struct LastingEffect: Equatable, Sendable {
  /// The effect that handlers get.
  public var effect: any Effect { content }

  /// The same, with its `==`, which a commit needs for each lasting effect: to cast it each time would
  /// take many times longer.
  private let content: any Effect & Equatable

  /// Distinguishes it from others that last at the same time.
  public var id: any Hashable & Sendable { key.value }

  let key: EffectID

  /// The part whose effect it is; nil for the whole.
  let part: PartEffect?

  fileprivate init(_ content: any Effect & Equatable, key: EffectID, part: PartEffect? = nil) {
    (self.content, self.key, self.part) = (content, key, part)
  }

  /// The effect's own id in its part, and the ids that lead to the part.
  package var place: (id: any Hashable & Sendable, path: [any Hashable & Sendable]) {
    let path = part?.path ?? []
    return (own(id, in: path), path)
  }

  /// Compares ids and effects.
  public static func == (a: LastingEffect, b: LastingEffect) -> Bool {
    a.key == b.key && areEqualEffects(a.content, b.content) && (a.part == nil) == (b.part == nil)
  }
}

extension LastingEffect: CustomReflectable {
  /// The effect and the id.
  public var customMirror: Mirror {
    Mirror(self, children: ["effect": effect, "id": id], displayStyle: .struct)
  }
}

/// Whether two effects are equal, without a dynamic cast where their types are the same.
///
/// The bit cast is sound because both types are equal.
private func areEqualEffects<A: Equatable, B: Equatable>(_ a: A, _ b: B) -> Bool {
  A.self == B.self ? a == unsafeBitCast(b, to: A.self) : (b as? A).map { a == $0 } ?? false
}

extension Effect where Self: Equatable {
  /// This effect, to last for as long as a store's `lasting:` returns it.
  ///
  /// A ``ScheduledEffect``, a ``CancelEffects`` and a ``Send`` can't last.
  ///
  /// - Parameter id: distinguishes it from others that last at the same time. The store compares
  ///   ids and effects, and describes ids of new lasting effects, while it is locked. So their
  ///   `==`, `hash` and `description` must be pure (G7).
  /// - Returns: a value for a store's `lasting:` to return.
  public func lasting(id: some Hashable & Sendable) -> LastingEffect {
    if isScheduling(self) { stopForLastingWork("\(Self.self)") }
    return LastingEffect(self, key: EffectID(id, isLasting: true))
  }
}

// MARK: - Of parts

extension LastingEffect {
  /// This effect as that of a part: its id is the part's own, and what its handlers dispatch goes to
  /// the part.
  ///
  /// `lastingEach` does it for you; a test of the whole writes it:
  ///
  ///     await test.send(RowIntent.watch, in: 2, began: [Watch().lasting(id: "watch").inside(2)])
  ///
  /// - Parameter path: the ids that lead to the part, the outermost first.
  /// - Returns: what lasts in the whole where this lasts in the part.
  public func inside(_ path: any Hashable & Sendable...) -> LastingEffect {
    path.reversed().reduce(self) { lasting, id in
      let part = PartEffect(id, lasting.part ?? lasting.content)
      return LastingEffect(content, key: lasting.key.inside(id), part: part)
    }
  }
}

/// The lasting effects of an array's elements, as `forEach` lifts their reducer.
///
///     func watching(row: Row) -> [LastingEffect] {
///       row.isWatched ? [Watch(file: row.file).lasting(id: "watch")] : []
///     }
///
///     let store = Store(
///       state: App(), reducer: app, lasting: { state in lastingEach(state.rows, watching) })
///
/// Each effect ends with its element, however that is removed, and what its handlers dispatch goes to the
/// element.
///
/// - Parameters:
///   - elements: the elements, whose ids must differ.
///   - lasting: the effects that last in an element.
/// - Returns: the effects that last in the whole.
/// - Complexity: O(*n*) in the number of elements, for each commit.
public func lastingEach<Element: Identifiable>(
  _ elements: [Element], _ lasting: (Element) -> [LastingEffect]
) -> [LastingEffect] where Element.ID: Sendable {
  elements.flatMap { element in lasting(element).map { $0.inside(element.id) } }
}

/// The lasting effects of a dictionary's elements, as `forEach` lifts their reducer.
///
/// They come in no order that you can rely on.
///
/// - Parameters:
///   - elements: the elements.
///   - lasting: the effects that last in an element.
/// - Returns: the effects that last in the whole.
/// - Complexity: O(*n*) in the number of elements, for each commit.
public func lastingEach<ID: Hashable & Sendable, Element>(
  _ elements: [ID: Element], _ lasting: (Element) -> [LastingEffect]
) -> [LastingEffect] {
  elements.flatMap { id, element in lasting(element).map { $0.inside(id) } }
}

/// The lasting effects of a part with an id, if there is one, as `withKey(_:id:use:)` lifts its
/// reducer.
///
///     lasting: { state in lastingEach(state.detail, id: Screen.detail, watching) })
///
/// - Parameters:
///   - part: the part.
///   - id: the part's id.
///   - lasting: the effects that last in the part.
/// - Returns: the effects that last in the whole.
public func lastingEach<Part, ID: Hashable & Sendable>(
  _ part: Part?, id: ID, _ lasting: (Part) -> [LastingEffect]
) -> [LastingEffect] {
  part.map { lasting($0).map { $0.inside(id) } } ?? []
}
