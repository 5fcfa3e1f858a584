public import Glue

/// Compares type-erased effects by their types and values.
///
///     #expect(effects == [AppEffect.playSound])
///
/// GlueTesting compares effects, intents and states like this, and so does a journal's replay. If a
/// value is `Equatable`, its `==` decides; otherwise its parts are compared one by one, each in the
/// same way. Parts that can't be compared count as the same: functions, and values that show no
/// parts and have no `==`. So two effects that differ only in what a closure captures are the same.
/// Make such an effect `Equatable` by the property that distinguishes it:
///
///     struct Call: Effect, Equatable {
///       let name: String
///       let body: @Sendable () -> Void
///
///       static func == (a: Call, b: Call) -> Bool { a.name == b.name }
///     }
///
/// - Parameters:
///   - a: effects, such as a reducer has returned.
///   - b: others.
/// - Returns: whether they are the same, in the same order.
/// - Complexity: O(*n*).
public func == (a: [any Effect], b: [any Effect]) -> Bool {
  a.elementsEqual(b, by: isSame)
}

/// Compares type-erased effects with those of one type.
///
/// - Parameters:
///   - a: effects, such as a reducer has returned.
///   - b: effects of one type.
/// - Returns: whether they are the same, in the same order.
/// - Complexity: O(*n*).
public func == <E: Effect>(a: [any Effect], b: [E]) -> Bool {
  a == (b as [any Effect])
}

/// Compares effects of one type with type-erased ones.
///
/// - Parameters:
///   - a: effects of one type.
///   - b: effects, such as a reducer has returned.
/// - Returns: whether they are the same, in the same order.
/// - Complexity: O(*n*).
public func == <E: Effect>(a: [E], b: [any Effect]) -> Bool {
  (a as [any Effect]) == b
}
