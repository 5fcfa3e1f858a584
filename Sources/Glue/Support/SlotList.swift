/// An object that knows its slot in a ``SlotList``.
@usableFromInline
protocol Slotted: AnyObject {
  var slot: Int { get set }
}

/// Objects in the order in which they were added, each removable in O(1), amortized.
///
/// Removing an object empties its slot. When half of the slots are empty, the list closes the gaps.
@usableFromInline
struct SlotList<Element: Slotted> {
  @usableFromInline var slots: [Element?] = []
  @usableFromInline var firstSlot = 0
  @usableFromInline var count = 0

  @usableFromInline
  init() {}

  var isEmpty: Bool { count == 0 }
  var first: Element? { firstSlot < slots.count ? slots[firstSlot] : nil }
  var all: [Element] { slots.compactMap { $0 } }

  @usableFromInline
  mutating func append(_ element: Element) {
    element.slot = slots.count
    slots.append(element)
    count += 1
  }

  /// Removes an element and returns it, so that the caller can release it unlocked.
  @inlinable
  mutating func remove(at slot: Int) -> Element? {
    let element = slots[slot].take()
    count -= 1
    if slots.count > 2 * count + 16 { closeGaps() }
    while firstSlot < slots.count, slots[firstSlot] == nil { firstSlot += 1 }
    return element
  }

  @usableFromInline
  mutating func closeGaps() {
    let elements = all
    self = SlotList()
    for element in elements { append(element) }
  }
}

extension SlotList: Sendable where Element: Sendable {}
