// Debug builds look for intents that no reducer knows; other builds reduce without it.

/// An intent that only one kind of combinators takes.
protocol DirectedIntent: Intent {
  /// The id of the element or part that it is addressed to, and the intent that it carries there.
  var address: Address? { get }

  /// The combinators that take it.
  static var takers: String { get }
}

/// The id of an element or a part, and the intent that another one carries there.
package typealias Address = (id: any Hashable & Sendable, intent: any Intent)

/// Where an intent carries another one, and that one; nil if it isn't addressed.
package func address(of intent: any Intent) -> Address? {
  (intent as? any DirectedIntent)?.address
}

/// Reduces an intent on this thread; a debug build returns the problem if no reducer knows it.
package func findUnknownIntent(_ intent: any Intent, reducedBy reduce: () -> Void) -> Problem? {
  #if DEBUG
    let thread = currentThread()
    let outer = beginRecognition(on: thread)
    reduce()
    return endRecognition(of: intent, on: thread, in: outer)
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

  /// The problem that no reducer knew the intent, if that is so.
  @_alwaysEmitIntoClient @inline(__always)
  func problem(with intent: any Intent) -> Problem? {
    #if DEBUG
      endRecognition(of: intent, on: thread, in: outer)
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
  /// - Returns: the problem that no reducer knew the intent, if that is so. A thunk never is known,
  ///   not even to a reducer of all intents.
  @usableFromInline
  func endRecognition(
    of intent: any Intent, on thread: ThreadID, in outer: Recognition
  ) -> Problem? {
    var recognition = outer
    swap(&context(of: thread).recognition, &recognition)
    if intent is any Runnable { return .unhandledThunk(type: "\(type(of: intent))") }
    if recognition.isKnown || recognition.entries == 0 { return nil }
    return .unknownIntent(type: path(of: intent), cure: recognition.cure(for: intent))
  }

  private func path(of intent: any Intent) -> String {
    let content = address(of: intent)?.intent
    return "\(type(of: intent))" + (content.map { " of \(path(of: $0))" } ?? "")
  }

  extension Recognition {
    private var wrapping: String {
      ids.isEmpty ? "" : ", or send it in ElementIntent(id: …, intent: …)"
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
