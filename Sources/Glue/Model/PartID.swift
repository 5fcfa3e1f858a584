/// An id of a scheduled effect that lies in a part of the state, so that all effects of the part
/// can be canceled at once.
///
///     case .load:
///       return [RowEffect.load(row.id).scheduled(.latest, id: PartID(row.id, "load"))]
///
/// The parent's reducer cancels them where it removes the part:
///
///     case .remove(let id):
///       rows.removeAll { $0.id == id }
///       return [CancelEffects(part: id)]
///
/// Parts nest: an effect in the part `PartID(list.id, row.id)` lies in `list.id` too. A policy
/// applies to the effects with the whole id. Effects without a policy, and lasting ones, lie in no
/// part.
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
}

extension PartID: IDInPart {
  var parts: [EffectID] { [EffectID(part)] + ((part as? any IDInPart)?.parts ?? []) }
}

extension EffectID {
  /// The parts that it lies in.
  var parts: [EffectID] { isLasting ? [] : (value as? any IDInPart)?.parts ?? [] }
}
