/// A number that an object, or an actor, has from when it is first shown until it goes.
///
/// Nothing of the object is read, and it is not kept alive. O(1), amortised.
func number(of object: AnyObject) -> Int {
  let id = ObjectIdentifier(object)
  let (number, suspects) = numbers.withLock { numbers -> (Int, [ObjectIdentifier: Numbered]?) in
    // The caller holds the object: whoever had its identity before it is dead.
    if let known = numbers.known[id], known.object != nil { return (known.number, nil) }
    numbers.last += 1
    numbers.known[id] = Numbered(number: numbers.last, object: object)
    return (numbers.last, numbers.known.count > numbers.patience ? numbers.known : nil)
  }
  if let suspects { forget(suspects.filter { $0.value.object == nil }, of: suspects.count) }
  return number
}

/// Forgets the dead, which are looked for without the lock: to ask whether an object lives may
/// release it.
private func forget(_ dead: [ObjectIdentifier: Numbered], of count: Int) {
  numbers.withLock { numbers in
    for (id, entry) in dead where numbers.known[id]?.number == entry.number {
      numbers.known[id] = nil
    }
    numbers.patience = max(1000, 2 * (count - dead.count))
  }
}

/// Sound because no more is asked of the object than whether it is there.
private struct Numbered: @unchecked Sendable {
  let number: Int
  weak var object: AnyObject?
}

private struct Numbers {
  var known: [ObjectIdentifier: Numbered] = [:]
  var last = 0

  /// How many are known before the dead among them are looked for.
  var patience = 1000
}

private let numbers = Guarded(Numbers())
