/// The intent as one for parts or elements with this type of ids, whose reducers take `I`.
@_alwaysEmitIntoClient @inline(__always)
func arriving<ID: Hashable & Sendable, I>(
  _ intent: any Intent, at ids: ID.Type, for type: I.Type
) -> ElementIntent<ID>? {
  guard let element = narrowed(intent, to: ElementIntent<ID>.self) else {
    note(.detour(ids: ids, isElements: Swift.type(of: intent) == type))
    return nil
  }
  note(.arrival)
  return element
}

/// Records that an array holds a second element with an id, in debug builds.
@_alwaysEmitIntoClient @inline(__always)
func noteTwin<Element: Identifiable>(
  of id: Element.ID, in elements: @autoclosure () -> [Element], after index: Int
) {
  #if DEBUG
    if elements()[(index + 1)...].contains(where: { $0.id == id }) { record(.twin(Element.self)) }
  #endif
}
