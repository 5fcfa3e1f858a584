/// A record of a reduction, by which debug builds find intents that no reducer knows.
///
/// Each reducer that the library made records an entry. One that records none is the program's own
/// and takes every intent, so it counts as one that knows the intent.
@usableFromInline
struct Recognition {
  @usableFromInline
  enum Fact {
    /// A reducer that the library made has the intent, and doesn't know it.
    case entry

    /// A reducer knows the intent, or it is unknown whether one does.
    case known

    /// A reducer begins to take the intent as one that is addressed to an element, which it follows.
    case following

    /// That reducer has asked whether the element's intent is of a type, and it is or isn't.
    case asked(isOfType: Bool)

    /// The element or the optional part that the intent is for isn't there.
    case missing

    /// The array holds another element with the id that the intent is addressed to.
    case twin(Any.Type)

    /// The intent is addressed, and reached the parts or elements that have ids of its type.
    case arrival

    /// The intent isn't addressed to an id of this type; `isElements` if an element's reducer takes
    /// it nevertheless.
    case detour(ids: Any.Type, isElements: Bool)
  }

  private(set) var entries = 0
  private(set) var isKnown = false

  /// Whether a reducer that follows elements has found an intent of its type.
  private var hasFollowed = false

  /// Whether the latest reducer that follows elements has asked for no type of intents.
  private var followsAll = false
  private(set) var isMissing = false
  private(set) var twin: Any.Type?
  private(set) var hasArrived = false
  private(set) var ids: [Any.Type] = []
  private(set) var isElements = false

  var isFollowed: Bool { hasFollowed || followsAll }

  mutating func take(_ fact: Fact) {
    entries += 1
    switch fact {
    case .entry: break
    case .known: isKnown = true
    case .following:
      hasFollowed = isFollowed
      followsAll = true
    case .asked(let isOfType):
      hasFollowed = hasFollowed || isOfType
      followsAll = false
      entries -= 1  // A reducer of all intents asks, too.
    case .missing: isMissing = true
    case .twin(let type): twin = type
    case .arrival: hasArrived = true
    case .detour(let type, let isElements):
      if !ids.contains(where: { $0 == type }) { ids.append(type) }
      self.isElements = self.isElements || isElements
    }
  }
}

/// Records a fact of the reduction on this thread, in debug builds.
@_alwaysEmitIntoClient @inline(__always)
func note(_ fact: @autoclosure () -> Recognition.Fact) {
  #if DEBUG
    record(fact())
  #endif
}

/// Records a fact of the reduction on this thread.
@usableFromInline
func record(_ fact: Recognition.Fact) {
  context(of: currentThread()).recognition.take(fact)
}

/// How many entries this thread has recorded.
@usableFromInline
func notedEntries() -> Int {
  context(of: currentThread()).recognition.entries
}
