/// Lifts a reducer of an element to a reducer of a state with a dictionary of elements.
///
/// It reduces an ``ElementIntent`` whose `id` is a key of the dictionary, in place (G10). If the
/// key is missing, because the element has been removed, nothing is written and there are no
/// effects. An element's effects belong to it: their ids are its own, and what their handlers
/// dispatch goes to it, in an `ElementIntent` (see ``PartEffect``).
///
/// - Parameters:
///   - keyPath: where the dictionary is.
///   - reducer: a reducer of an element. Typed ones get the intents of their type alone.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, and of looking up a key.
@_alwaysEmitIntoClient
public func forEach<Whole, ID: Hashable & Sendable, Element, I: AnyIntent>(
  _ keyPath: any WritableKeyPath<Whole, [ID: Element]> & Sendable,
  use reducer: @escaping @Sendable (inout Element, I) -> [any Effect]
) -> Reducer<Whole> {
  takesAll(I.self)
    ? elements(of: keyPath, as: { $0 }, use: erased(reducer))
    : elements(of: keyPath, as: { narrowed($0, to: I.self) }, use: knowing(reducer))
}

/// Lifts a reducer of an element to a reducer of a state with an array of elements.
///
/// It reduces an ``ElementIntent`` whose `id` is that of an element, in place (G10). If there is
/// none, because the element has been removed, nothing is written and there are no effects. If
/// several elements have the same id, the first one is reduced. An element's effects belong to it:
/// their ids are its own, and what their handlers dispatch goes to it (see ``PartEffect``).
///
/// - Parameters:
///   - keyPath: where the array is.
///   - reducer: a reducer of an element. Typed ones get the intents of their type alone.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, and O(*n*) in the number of elements to find the element. For
///   many elements, use a dictionary.
@_alwaysEmitIntoClient
public func forEach<Whole, Element: Identifiable & SendableMetatype, I: AnyIntent>(
  _ keyPath: any WritableKeyPath<Whole, [Element]> & Sendable,
  use reducer: @escaping @Sendable (inout Element, I) -> [any Effect]
) -> Reducer<Whole> where Element.ID: Sendable {
  takesAll(I.self)
    ? elements(of: keyPath, as: { $0 }, use: erased(reducer))
    : elements(of: keyPath, as: { narrowed($0, to: I.self) }, use: knowing(reducer))
}

/// Lifts a reducer of a dictionary's elements, which takes any type of intents.
///
/// A computed or observed dictionary is looked up twice, first without writing. An index can't be kept,
/// because it is another one each time.
@_alwaysEmitIntoClient
func elements<Whole, ID: Hashable & Sendable, Element, I>(
  of keyPath: any WritableKeyPath<Whole, [ID: Element]> & Sendable,
  as narrow: @escaping @Sendable (any Intent) -> I?,
  use reducer: @escaping @Sendable (inout Element, I) -> [any Effect]
) -> Reducer<Whole> {
  let isPlain = isPlainlyStored(keyPath)
  return { whole, intent in
    func reduce(_ elements: inout [ID: Element], _ id: ID, _ intent: I) -> [any Effect] {
      guard let index = elements.index(forKey: id) else {
        note(.missing)
        return []
      }
      return inside(id, reducer(&elements.values[index], intent))
    }
    guard let element = arriving(intent, at: ID.self, for: I.self),
      let intent = narrow(element.intent)
    else { return [] }
    if !isPlain && whole[keyPath: keyPath].index(forKey: element.id) == nil {
      note(.missing)
      return []
    }
    return reduce(&whole[keyPath: keyPath], element.id, intent)
  }
}

/// Whether nothing but its value notices that a property is written.
///
/// Reading it by its key path costs more than writing it.
@_alwaysEmitIntoClient
func isPlainlyStored<Whole, Value>(_ keyPath: WritableKeyPath<Whole, Value>) -> Bool {
  MemoryLayout<Whole>.offset(of: keyPath) != nil
}

/// Lifts a reducer of an array's elements, which takes any type of intents.
@_alwaysEmitIntoClient
func elements<Whole, Element: Identifiable & SendableMetatype, I>(
  of keyPath: any WritableKeyPath<Whole, [Element]> & Sendable,
  as narrow: @escaping @Sendable (any Intent) -> I?,
  use reducer: @escaping @Sendable (inout Element, I) -> [any Effect]
) -> Reducer<Whole> where Element.ID: Sendable {
  let isPlain = isPlainlyStored(keyPath)
  return { whole, intent in
    func reduce(_ elements: inout [Element], _ id: Element.ID, _ intent: I) -> [any Effect] {
      guard let index = elements.firstIndex(where: { $0.id == id }) else {
        note(.missing)
        return []
      }
      noteTwin(of: id, in: elements, after: index)
      return inside(id, reducer(&elements[index], intent))
    }
    guard let element = arriving(intent, at: Element.ID.self, for: I.self),
      let intent = narrow(element.intent)
    else { return [] }
    if !isPlain && !whole[keyPath: keyPath].contains(where: { $0.id == element.id }) {
      note(.missing)
      return []
    }
    return reduce(&whole[keyPath: keyPath], element.id, intent)
  }
}
