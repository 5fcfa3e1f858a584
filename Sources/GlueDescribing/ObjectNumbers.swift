import Glue

/// The number of an object or an actor, assigned when it is first shown and kept while it lives.
///
/// The object is neither read nor kept alive. O(1), amortized.
func number(of object: AnyObject) -> Int {
  let id = ObjectIdentifier(object)
  let (number, suspects) = numbers.withLock { numbers -> (Int, [ObjectIdentifier: Numbered]?) in
    // The caller holds the object, so any other object that had this identity is gone.
    if let known = numbers.known[id], known.object != nil { return (known.number, nil) }
    numbers.last += 1
    numbers.known[id] = Numbered(number: numbers.last, object: object)
    return (numbers.last, numbers.known.count > numbers.patience ? numbers.known : nil)
  }
  if let suspects { forget(suspects.filter { $0.value.object == nil }, of: suspects.count) }
  return number
}

/// Forgets released objects.
///
/// They are looked up without the lock, because checking whether an object lives may release it.
private func forget(_ dead: [ObjectIdentifier: Numbered], of count: Int) {
  numbers.withLock { numbers in
    for (id, entry) in dead where numbers.known[id]?.number == entry.number {
      numbers.known[id] = nil
    }
    numbers.patience = max(1000, 2 * (count - dead.count))
  }
}

/// Sound because only the existence of the object is checked.
private struct Numbered: @unchecked Sendable {
  let number: Int
  weak var object: AnyObject?
}

private struct Numbers {
  var known: [ObjectIdentifier: Numbered] = [:]
  var last = 0

  /// How many objects are known before released ones are looked up.
  var patience = 1000
}

private let numbers = Locked(Numbers())
