// Debug builds look for intents that no reducer knows; other builds reduce without it.

/// Records an intent as known if the reducer, which takes any intent, is the program's own.
@_alwaysEmitIntoClient @inline(__always)
func watched<State>(_ reducer: @escaping Reducer<State>) -> Reducer<State> {
  #if DEBUG
    { state, intent in
      let entries = notedEntries()
      let effects = reducer(&state, intent)
      if notedEntries() == entries { record(.known) }
      return effects
    }
  #else
    reducer
  #endif
}

/// Records the intents of a reducer, which knows one type of them, as known.
@_alwaysEmitIntoClient @inline(__always)
func knowing<State, I: Intent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
) -> @Sendable (inout State, I) -> [any Effect] {
  #if DEBUG
    { state, intent in
      record(follows(I.self) ? .followed : .known)
      return reducer(&state, intent)
    }
  #else
    reducer
  #endif
}

/// Whether intents of a type are addressed to elements, so that a reducer of it only follows them.
@usableFromInline
func follows(_ type: any Intent.Type) -> Bool {
  (type as? any DirectedIntent.Type)?.isAddressed == true
}

/// ``narrowed(_:to:)``, which records an intent of another type.
@_alwaysEmitIntoClient @inline(__always)
func recognized<I: Intent>(_ intent: any Intent, as type: I.Type) -> I? {
  guard let intent = narrowed(intent, to: type) else {
    note(.entry)
    return nil
  }
  return intent
}

/// Records that an array holds a second element with an id, in debug builds.
@_alwaysEmitIntoClient @inline(__always)
func noteTwin<Element: Identifiable>(
  of id: Element.ID, in elements: @autoclosure () -> [Element], after index: Int
) {
  #if DEBUG
    if elements()[(index + 1)...].contains(where: { $0.id == id }) { record(.twin(Element.self)) }
  #endif
}

/// An intent that only one kind of combinators takes.
protocol DirectedIntent: Intent {
  /// The id of the element or part that it is addressed to, and the intent that it carries there.
  var address: Address? { get }

  /// The combinators that take it.
  static var takers: String { get }

  /// Whether it is addressed to an element or a part.
  static var isAddressed: Bool { get }
}

/// The id of an element or a part, and the intent that another one carries there.
package typealias Address = (id: any Hashable & Sendable, intent: any Intent)

/// Where an intent carries another one, and that one; nil if it isn't addressed.
package func address(of intent: any Intent) -> Address? {
  (intent as? any DirectedIntent)?.address
}

/// Reduces an intent on this thread; a debug build returns the problem if no reducer knows it.
package func unknownIntent(_ intent: any Intent, reducedBy reduce: () -> Void) -> Problem? {
  #if DEBUG
    let thread = currentThread()
    let outer = beginRecognition(on: thread)
    reduce()
    let found = problem(with: intent, from: nil, on: thread, in: outer)
    if case .unknownIntent = found { return found }
    return nil
  #else
    reduce()
    return nil
  #endif
}

/// Finds an intent that no reducer knows, in debug builds.
@usableFromInline
struct IntentCheck {
  #if DEBUG
    @usableFromInline let outer: Recognition
    @usableFromInline let thread: ThreadID
  #endif

  @_alwaysEmitIntoClient @inline(__always)
  init(on thread: ThreadID) {
    #if DEBUG
      (outer, self.thread) = (beginRecognition(on: thread), thread)
    #endif
  }

  /// Reports the intent, if no reducer knew it, or if it came from outside and met no part.
  @_alwaysEmitIntoClient @inline(__always)
  func end(with intent: any Intent, from origin: Origin?, _ runtime: inout StoreRuntime) {
    #if DEBUG
      runtime.endRecognition(of: intent, from: origin, on: thread, in: outer)
    #endif
  }
}

#if DEBUG
  extension StoreRuntime {
    /// Ends the record of a reduction, and reports an intent that no reducer knew, or that came from
    /// outside and met no part.
    @usableFromInline
    mutating func endRecognition(
      of intent: any Intent, from origin: Origin?, on thread: ThreadID, in outer: Recognition
    ) {
      if let type = context(of: thread).recognition.twin {
        effects.report(.duplicateElement(type: "\(type)"))
      }
      if let problem = problem(with: intent, from: origin, on: thread, in: outer) {
        effects.report(problem)
      }
    }
  }

  /// Begins the record of a reduction.
  ///
  /// - Returns: the record before it on `thread`, the calling one, because the caller can be another
  ///   store's reducer.
  @usableFromInline
  func beginRecognition(on thread: ThreadID) -> Recognition {
    var outer = Recognition()
    swap(&context(of: thread).recognition, &outer)
    return outer
  }

  /// Ends the record of a reduction.
  ///
  /// - Returns: the problem that no reducer knew the intent, or that the part is missing to which it was
  ///   sent from outside. A reply that comes too late is none.
  func problem(
    with intent: any Intent, from origin: Origin?, on thread: ThreadID, in outer: Recognition
  ) -> Problem? {
    var recognition = outer
    swap(&context(of: thread).recognition, &recognition)
    if recognition.isKnown || recognition.entries == 0 || intent is any Runnable { return nil }
    let type = path(of: intent)
    if let part = origin?.part, isAddressed(intent, twiceTo: part) {
      return .unknownIntent(type: type, cure: Recognition.onceIsEnough)
    }
    if recognition.isMissing {
      let isReply = origin?.isOfEffect == true
      return isReply ? nil : .missingPart(type: type, cure: Recognition.causes)
    }
    if recognition.isFollowed { return nil }
    return .unknownIntent(type: type, cure: recognition.cure(for: intent))
  }

  private func path(of intent: any Intent) -> String {
    let content = address(of: intent)?.intent
    return "\(type(of: intent))" + (content.map { " of \(path(of: $0))" } ?? "")
  }

  /// Whether a handler has addressed an intent to the part whose effect it handles, to which the store
  /// addresses it anyway.
  private func isAddressed(_ intent: any Intent, twiceTo part: PartEffect) -> Bool {
    var (ids, content) = (part.path, intent)
    let last = ids.last
    while !ids.isEmpty, let address = address(of: content) {
      ids.removeFirst()
      content = address.intent
    }
    guard ids.isEmpty, let last, let inner = address(of: content) else { return false }
    return AnyHashable(last) == AnyHashable(inner.id)
  }

  extension Recognition {
    private var wrapping: String {
      ids.isEmpty ? "" : ", or send it in ElementIntent(id: …, intent: …)"
    }

    /// Likely causes of a missing part.
    fileprivate static var causes: String {
      "it was removed before, or it is another case of the state; or a reducer of the parent has "
        + "removed it before its own reducer came: combine the parent's after it"
    }

    fileprivate static var onceIsEnough: String {
      "it is addressed twice: what an effect of a part dispatches goes to the part, so its handler "
        + "dispatches the intent alone, without ElementIntent(id: …, intent: …)"
    }

    fileprivate func cure(for intent: any Intent) -> String {
      if isElements { return "a forEach takes it in ElementIntent(id: …, intent: …)" }
      if let directed = intent as? any DirectedIntent {
        if hasArrived { return "no part has its id, or no reducer there takes its intent" }
        let ids = Set(ids.map { "\($0)" }).sorted().joined(separator: " or ")
        let hint = directed.address == nil ? wrapping : ", and the ids here are of \(ids)"
        return "\(type(of: directed).takers) takes it\(ids.isEmpty ? "" : hint)"
      }
      return "combine the reducer of its feature\(wrapping)"
    }
  }
#endif
