/// Lifts a reducer of a part to a reducer of the whole.
///
/// The part is changed in place (G10), and of the whole nothing else is touched.
///
/// - Parameters:
///   - keyPath: where the part is. It should lead through stored properties: those that are
///     computed copy the part at each intent.
///   - reducer: a reducer of the part. Typed ones get the intents of their type alone.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, and of following the key path.
@inlinable
public func withKey<Whole, Part>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable, use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  { whole, intent in reducer(&whole[keyPath: keyPath], intent) }
}

/// Lifts a reducer of a part that may be missing to a reducer of the whole.
///
/// While the part is nil nothing changes and there are no effects. A closure that fits both a part
/// and an optional one has to name its parameter's type:
/// `{ (part: inout Part, intent: PartIntent) in … }`.
///
/// - Parameters:
///   - keyPath: where the part is.
///   - reducer: a reducer of the part. Typed ones get the intents of their type alone.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, and of following the key path.
@inlinable
public func withKey<Whole, Part>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  { whole, intent in
    func reduce(_ part: inout Part?) -> [any Effect] {
      part == nil ? [] : reducer(&part!, intent)
    }
    return reduce(&whole[keyPath: keyPath])
  }
}
