/// Elements of which the least is at hand: a binary heap.
package struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  package init() {}

  package var isEmpty: Bool { elements.isEmpty }
  package var count: Int { elements.count }

  /// The least element.
  package var first: Element? { elements.first }

  /// All elements, in no order.
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
