/// An id of any type, compared as `AnyHashable` does.
struct EffectID: Hashable, Sendable {
  let value: any Hashable & Sendable

  /// Whether it is the id of a lasting effect, which no other effect shares.
  let isLasting: Bool

  /// The value's hash, computed once, because comparing and hashing ids of any type takes long.
  ///
  /// Nil for lasting effects, which each commit makes anew, and seldom hashes.
  private let valueHash: Int?

  init(_ value: some Hashable & Sendable, isLasting: Bool = false) {
    self.value = value
    self.isLasting = isLasting
    valueHash = isLasting ? nil : AnyHashable(value).hashValue
  }

  static func == (a: EffectID, b: EffectID) -> Bool {
    a.valueHash == b.valueHash && a.isLasting == b.isLasting && areEqualIDs(a.value, b.value)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(valueHash ?? AnyHashable(value).hashValue)
  }
}

/// Whether two ids are equal as `AnyHashable`s are, without wrapping them where their types are the
/// same.
///
/// The bit cast is sound because both types are equal.
private func areEqualIDs<A: Hashable, B: Hashable>(_ a: A, _ b: B) -> Bool {
  A.self == B.self ? a == unsafeBitCast(b, to: A.self) : AnyHashable(a) == AnyHashable(b)
}
