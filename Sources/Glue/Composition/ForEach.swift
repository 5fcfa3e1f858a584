/// An intent for one element of a collection.
///
///     store.dispatch(ElementIntent(id: todo.id, intent: TodoIntent.toggle))
public struct ElementIntent<ID: Hashable & Sendable>: Intent {
  /// Which element it is for: its key in a dictionary, or its `id`.
  public let id: ID

  /// What that element's reducer gets.
  public let intent: any Intent

  /// Addresses an intent to an element.
  public init(id: ID, intent: any Intent) {
    self.id = id
    self.intent = intent
  }
}

/// Lifts a reducer of an element to a reducer of the whole that has a dictionary of them.
///
/// It reduces an ``ElementIntent`` whose `id` is a key of the dictionary, in place (G10). If the
/// key is not there, because the element is gone, nothing changes and there are no effects. An
/// element's effects should say which element they are of: they carry its id themselves.
///
/// - Parameters:
///   - keyPath: where the dictionary is.
///   - reducer: a reducer of an element. Typed ones get the intents of their type alone.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, and of looking up a key.
@inlinable
public func forEach<Whole, ID: Hashable & Sendable, Element>(
  _ keyPath: any WritableKeyPath<Whole, [ID: Element]> & Sendable,
  use reducer: @escaping Reducer<Element>
) -> Reducer<Whole> {
  { whole, intent in
    func reduce(_ elements: inout [ID: Element], _ element: ElementIntent<ID>) -> [any Effect] {
      guard let index = elements.index(forKey: element.id) else { return [] }
      return reducer(&elements.values[index], element.intent)
    }
    guard let element = narrowed(intent, to: ElementIntent<ID>.self) else { return [] }
    return reduce(&whole[keyPath: keyPath], element)
  }
}

/// Lifts a reducer of an element to a reducer of the whole that has an array of them.
///
/// It reduces an ``ElementIntent`` whose `id` is that of an element, in place (G10). If there is
/// none, because the element is gone, nothing changes and there are no effects. Of several elements
/// with the same id the first is meant.
///
/// - Parameters:
///   - keyPath: where the array is.
///   - reducer: a reducer of an element. Typed ones get the intents of their type alone.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, and O(*n*) in the number of elements to find the one. Where
///   they are many, keep them in a dictionary.
@inlinable
public func forEach<Whole, Element: Identifiable & SendableMetatype>(
  _ keyPath: any WritableKeyPath<Whole, [Element]> & Sendable,
  use reducer: @escaping Reducer<Element>
) -> Reducer<Whole> where Element.ID: Sendable {
  { whole, intent in
    func reduce(
      _ elements: inout [Element], _ element: ElementIntent<Element.ID>
    ) -> [any Effect] {
      guard let index = elements.firstIndex(where: { $0.id == element.id }) else { return [] }
      return reducer(&elements[index], element.intent)
    }
    guard let element = narrowed(intent, to: ElementIntent<Element.ID>.self) else { return [] }
    return reduce(&whole[keyPath: keyPath], element)
  }
}
