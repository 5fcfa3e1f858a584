extension ElementIntent: DirectedIntent {
  var address: Address? { (id, intent) }
  static var isAddressed: Bool { true }
  static var takers: String { "a forEach or a withKey(_:id:use:) whose ids are of \(ID.self)" }
}

/// The intent as one for parts or elements with this type of ids, whose reducers take `I`.
@_alwaysEmitIntoClient @inline(__always)
func addressed<ID: Hashable & Sendable, I>(
  _ intent: any Intent, to ids: ID.Type, for type: I.Type
) -> ElementIntent<ID>? {
  guard let element = narrowed(intent, to: ElementIntent<ID>.self) else {
    note(.detour(ids: ids, isElements: Swift.type(of: intent) == type))
    return nil
  }
  note(.arrival)
  return element
}
