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
  @_alwaysEmitIntoClient
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

/// Elements with fast access to the least one: a binary heap.
package struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  package init() {}

  package var isEmpty: Bool { elements.isEmpty }
  package var count: Int { elements.count }

  /// The least element.
  package var first: Element? { elements.first }

  package var unordered: [Element] { elements }

  /// - Complexity: O(log *n*).
  package mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0, elements[index] < elements[(index - 1) / 2] {
      elements.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the least element.
  ///
  /// - Complexity: O(log *n*).
  package mutating func popFirst() -> Element? {
    if elements.isEmpty { return nil }
    elements.swapAt(0, elements.count - 1)
    let first = elements.removeLast()
    var index = 0
    while let child = leastChild(of: index), elements[child] < elements[index] {
      elements.swapAt(index, child)
      index = child
    }
    return first
  }

  private func leastChild(of index: Int) -> Int? {
    let (left, right) = (2 * index + 1, 2 * index + 2)
    if left >= elements.count { return nil }
    return right < elements.count && elements[right] < elements[left] ? right : left
  }
}

extension Heap: Sendable where Element: Sendable {}
