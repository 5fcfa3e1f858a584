/// Decides what an intent changes and which effects it has.
///
/// A reducer is pure: it depends on its arguments alone, changes nothing but `state`, and is tested
/// by calling it. It runs while the store is locked. So it must not use the store, release the
/// store's subscriptions, or wait for a thread that does either. The first two stop the program
/// with a message that names the cure (G7); waiting for another thread can't be detected.
///
/// The state is changed in place (G10). ``Store`` takes a reducer in this erased form and in typed
/// ones, as a function or as a closure:
///
///     func reducer(state: inout AppState, intent: any Intent) -> [any Effect]
///     func reducer(state: inout AppState, intent: AppIntent) -> [any Effect]
///     func reducer(state: inout AppState, intent: AppIntent) -> [AppEffect]
///
/// A reducer that names a type of intents gets only these, so that its `switch` is exhaustive;
/// other intents change nothing and have no effects. A reducer that names a type of effects can't
/// schedule or cancel any: to do so, it returns `[any Effect]`.
public typealias Reducer<State> = @Sendable (inout State, any Intent) -> [any Effect]

/// Makes a reducer of all intents from one of a single type; other intents change nothing.
@_alwaysEmitIntoClient
func erased<State, I: Intent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
) -> Reducer<State> {
  narrowing(knowing(reducer))
}

/// The same for a reducer that records the intents that it knows itself.
@_alwaysEmitIntoClient
func narrowing<State, I: Intent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
) -> Reducer<State> {
  { state, intent in
    guard let intent = recognized(intent, as: I.self) else { return [] }
    return reducer(&state, intent)
  }
}

/// The intent as a value of a type, or nil if it is of another type.
///
/// Types are compared, which distinguishes structures and enumerations; an object may be of a
/// subclass. The bit cast is sound because both types are equal. A function of its own makes it: one
/// that also compared, and returned an optional, cost a typed dispatch a tenth.
@_alwaysEmitIntoClient
package func narrowed<I: Intent>(_ intent: any Intent, to type: I.Type) -> I? {
  func isExact<Value>(_ value: Value) -> Bool { Value.self == I.self }
  func exact<Value>(_ value: Value) -> I { unsafeBitCast(value, to: type) }
  if isExact(intent) { return exact(intent) }
  return type is AnyClass ? intent as? I : nil
}

/// `value as? Target`, without a dynamic cast where `Target` is the value's own type.
///
/// Called with an existential, it compares the type of its content. The bit cast is sound because
/// both types are equal.
@_alwaysEmitIntoClient
func cast<Value, Target>(_ value: Value, to type: Target.Type) -> Target? {
  Value.self == Target.self ? unsafeBitCast(value, to: type) : value as? Target
}

/// An effect as a structure, or nil if it is of another type, without a dynamic cast, which takes
/// longest where it fails.
///
/// The bit cast is sound because both types are equal.
@inline(__always)
func exact<E: Effect>(_ effect: any Effect, as type: E.Type) -> E? {
  func exact<Value>(_ value: Value) -> E { unsafeBitCast(value, to: type) }
  return isExact(effect, type) ? exact(effect) : nil
}

@inline(__always)
func isExact<E: Effect>(_ effect: any Effect, _ type: E.Type) -> Bool {
  func isExact<Value>(_ value: Value) -> Bool { Value.self == E.self }
  return isExact(effect)
}

/// An effect as the type that a handler names, or nil if it is of another type; see
/// ``narrowed(_:to:)``.
///
/// A handler may also name a protocol, which is itself no type of effects.
@_alwaysEmitIntoClient
func handled<Handled>(_ effect: any Effect, as type: Handled.Type) -> Handled? {
  func isExact<E>(_ effect: E) -> Bool { E.self == Handled.self }
  func exact<E>(_ effect: E) -> Handled { unsafeBitCast(effect, to: type) }
  if isExact(effect) { return exact(effect) }
  let isNoOther = type is any Effect.Type && !(type is AnyClass)
  return isNoOther ? nil : effect as? Handled
}
