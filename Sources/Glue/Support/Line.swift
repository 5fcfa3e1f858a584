/// Something that knows where it is in a ``Line``.
@usableFromInline
protocol Placed: AnyObject {
  var place: Int { get set }
}

/// Objects in the order in which they came, any of which may leave.
///
/// Leaving takes O(1), amortised: a place becomes free, and when half of them are, the others move
/// up.
@usableFromInline
struct Line<Element: Placed> {
  @usableFromInline var places: [Element?] = []
  @usableFromInline var firstPlace = 0
  @usableFromInline var count = 0

  @usableFromInline
  init() {}

  var isEmpty: Bool { count == 0 }
  var first: Element? { firstPlace < places.count ? places[firstPlace] : nil }
  var all: [Element] { places.compactMap { $0 } }

  @usableFromInline
  mutating func append(_ element: Element) {
    element.place = places.count
    places.append(element)
    count += 1
  }

  /// Removes the element at a place; its release is the caller's business.
  @inlinable
  mutating func remove(at place: Int) -> Element? {
    let element = places[place].take()
    count -= 1
    if places.count > 2 * count + 16 { moveUp() }
    while firstPlace < places.count, places[firstPlace] == nil { firstPlace += 1 }
    return element
  }

  @usableFromInline
  mutating func moveUp() {
    let elements = all
    self = Line()
    for element in elements { append(element) }
  }
}

extension Line: Sendable where Element: Sendable {}
