// Debug builds look for intents that no reducer knows; other builds reduce without it.

/// Reduces an intent on this thread; a debug build returns the problem if no reducer knows it.
package func findUnknownIntent(_ intent: any Intent, reducedBy reduce: () -> Void) -> Problem? {
  #if DEBUG
    let thread = currentThread()
    let outer = beginRecognition(on: thread)
    reduce()
    let found = endRecognition(of: intent, in: nil, isReply: false, on: thread, after: outer)
    switch found {
    case .missingPart, .duplicateElement: return nil
    default: return found
    }
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

  /// The problem that no reducer knew the intent, or that it came from outside and met no part.
  @_alwaysEmitIntoClient @inline(__always)
  func problem(
    with intent: any Intent, of part: @autoclosure () -> PartEffect?,
    isReply: @autoclosure () -> Bool
  ) -> Problem? {
    #if DEBUG
      endRecognition(of: intent, in: part(), isReply: isReply(), on: thread, after: outer)
    #else
      nil
    #endif
  }
}

#if DEBUG
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
  /// - Parameters:
  ///   - intent: what was reduced.
  ///   - part: the part whose effect dispatched it; nil for the whole.
  ///   - isReply: whether an effect dispatched it. A reply can come too late, which is no problem.
  ///   - thread: the calling one.
  ///   - outer: the record before it.
  /// - Returns: the problem that no reducer knew the intent, that its part is missing, or that several
  ///   elements have its id. A thunk never is known, not even to a reducer of all intents.
  @usableFromInline
  func endRecognition(
    of intent: any Intent, in part: PartEffect?, isReply: Bool, on thread: ThreadID,
    after outer: Recognition
  ) -> Problem? {
    var recognition = outer
    swap(&context(of: thread).recognition, &recognition)
    if intent is any Runnable { return .unhandledThunk(type: "\(type(of: intent))") }
    if let type = recognition.twin { return .duplicateElement(type: "\(type)") }
    if recognition.isKnown || recognition.entries == 0 { return nil }
    let type = path(of: intent)
    if let part, isAddressed(intent, twiceTo: part) {
      return .unknownIntent(type: type, cure: Recognition.onceIsEnough)
    }
    if recognition.isMissing {
      return isReply ? nil : .missingPart(type: type, cure: Recognition.causes)
    }
    if recognition.isFollowed { return nil }
    let cure = part == nil ? recognition.cure(for: intent) : Recognition.leaving
    return .unknownIntent(type: type, cure: cure)
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

    fileprivate static var leaving: String {
      "it goes to the part whose effect dispatched it, where no reducer takes it: if it is for the "
        + "whole, let its type say static let leavesParts = true"
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
