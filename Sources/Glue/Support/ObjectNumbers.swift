/// A number that an object, or an actor, has from when it is first shown until it goes.
///
/// Nothing of the object is read, and it is not kept alive.
func number(of object: AnyObject) -> Int {
  let reference = WeakReference(object: object)
  let (number, living) = numbers.withLock { numbers in
    let number = numbers.number(of: ObjectIdentifier(object), reference)
    return (number, numbers.forgetTheDead())
  }
  withExtendedLifetime(living) {}
  return number
}

private let numbers = Guarded(ObjectNumbers())

/// Sound because no more is asked of the object than whether it is there.
private struct WeakReference: @unchecked Sendable {
  weak var object: AnyObject?
}

/// Sound because the objects are only released.
private struct Living: @unchecked Sendable {
  let objects: [AnyObject?]
}

private struct ObjectNumbers {
  private var known: [ObjectIdentifier: (number: Int, reference: WeakReference)] = [:]
  private var last = 0

  /// How many are known before the dead among them are looked for.
  private var patience = 1000

  /// The number of an object that the caller holds: so whoever had its identity before it is dead.
  mutating func number(of id: ObjectIdentifier, _ reference: WeakReference) -> Int {
    if let known = known[id], known.reference.object != nil { return known.number }
    last += 1
    known[id] = (last, reference)
    return last
  }

  /// Forgets the dead, in O(1) a number, amortised.
  ///
  /// - Returns: the living, whose last references these may be: to be released without the lock.
  mutating func forgetTheDead() -> Living? {
    if known.count < patience { return nil }
    var living: [AnyObject?] = []
    known = known.filter { _, entry in
      living.append(entry.reference.object)
      return living.last.flatMap { $0 } != nil
    }
    patience = max(1000, 2 * known.count)
    return Living(objects: living)
  }
}
