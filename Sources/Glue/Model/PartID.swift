/// The id of an effect in a part of the state, as the whole names it.
///
/// A part's reducer names its own effects by their own ids:
///
///     case .load: return [Load().scheduled(.latest, id: "load")]
///
/// Seen from outside of the row 2, that id is `PartID(2, "load")`. So the parent's reducer can cancel
/// that effect, or all of the row's:
///
///     case .cancel(let id): return [CancelEffects(id: PartID(id, "load"))]
///     case .remove(let id):
///       rows.removeAll { $0.id == id }
///       return [CancelEffects(part: id)]
///
/// Parts nest: from outside of the list 1, that effect is `PartID(PartID(1, 2), "load")`, and it lies
/// in the parts `PartID(1, 2)` and `1`. You write a `PartID` for effects whose part is no part of the
/// state, for example of a request. A policy applies to the effects with the whole id. Lasting
/// effects are never canceled by it.
public struct PartID<Part: Hashable & Sendable, ID: Hashable & Sendable>: Hashable, Sendable {
  /// The part that the effect lies in: the id of a row, for example, or a `PartID` again.
  public let part: Part

  /// Distinguishes the effect from others of the part.
  public let id: ID

  /// Makes an id within a part.
  public init(_ part: Part, _ id: ID) {
    self.part = part
    self.id = id
  }
}

extension PartID: Encodable where Part: Encodable, ID: Encodable {}
extension PartID: Decodable where Part: Decodable, ID: Decodable {}

/// An id that can lie in a part.
protocol IDInPart {
  /// The part that it lies in, and those in which that lies.
  var parts: [EffectID] { get }

  /// The ids that lead to it, the outermost first, and its own.
  var path: [any Hashable & Sendable] { get }

  /// The same id in a larger whole.
  func nested(in whole: any Hashable & Sendable) -> any Hashable & Sendable
}

extension PartID: IDInPart {
  var parts: [EffectID] { [EffectID(part)] + ((part as? any IDInPart)?.parts ?? []) }

  var path: [any Hashable & Sendable] { ((part as? any IDInPart)?.path ?? [part]) + [id] }

  func nested(in whole: any Hashable & Sendable) -> any Hashable & Sendable {
    joined(nest(part, in: whole), id)
  }
}

/// An id of a part as one of the whole.
func nest(
  _ id: any Hashable & Sendable, in part: any Hashable & Sendable
) -> any Hashable & Sendable {
  (id as? any IDInPart)?.nested(in: part) ?? joined(part, id)
}

private func joined(
  _ part: any Hashable & Sendable, _ id: any Hashable & Sendable
) -> any Hashable & Sendable {
  func join(
    _ part: some Hashable & Sendable, _ id: some Hashable & Sendable
  ) -> any Hashable & Sendable {
    PartID(part, id)
  }
  return join(part, id)
}

/// An id of the whole as the part with this path gives it.
package func own(
  _ id: any Hashable & Sendable, in path: [any Hashable & Sendable]
) -> any Hashable & Sendable {
  if path.isEmpty { return id }
  let ids = ((id as? any IDInPart)?.path ?? [id]).dropFirst(path.count)
  return ids.dropFirst().reduce(ids.first ?? id) { joined($0, $1) }
}

/// An id as text: the description of its own, or its path, `2/load`.
package func pathText(of id: any Hashable & Sendable) -> String {
  (id as? any IDInPart)?.path.map { "\($0)" }.joined(separator: "/") ?? "\(id)"
}

extension EffectID {
  /// The ids that lead to it, and its own.
  var path: [any Hashable & Sendable] { (value as? any IDInPart)?.path ?? [value] }

  /// The parts that it lies in.
  var parts: [EffectID] { isLasting ? [] : (value as? any IDInPart)?.parts ?? [] }
}
