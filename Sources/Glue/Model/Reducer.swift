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

/// Makes a reducer of all intents from one of a single type, to which others change nothing, or from
/// one that takes them all.
///
/// The bit cast is sound because both types are equal.
@_alwaysEmitIntoClient
func erased<State, I: AnyIntent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
) -> Reducer<State> {
  narrowing(knowing(reducer))
}

/// The same for a reducer that records the intents that it knows itself.
@_alwaysEmitIntoClient
func narrowing<State, I: AnyIntent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
) -> Reducer<State> {
  if takesAll(I.self) {
    let boxed = BoxedReducer(reducer: reducer)
    return unsafeBitCast(boxed, to: BoxedReducer<State, any Intent>.self).reducer
  }
  return { state, intent in
    guard let intent = recognized(intent, as: I.self) else { return [] }
    return reducer(&state, intent)
  }
}

/// Whether reducers that name this type of intents take them all.
@_alwaysEmitIntoClient
func takesAll<I: AnyIntent>(_ type: I.Type) -> Bool { type == (any Intent).self }

/// A reducer in a structure, because the cast of a bare function would wrap it in closures, and each
/// reduction would call them.
@usableFromInline @frozen
struct BoxedReducer<State, I> {
  @usableFromInline let reducer: @Sendable (inout State, I) -> [any Effect]

  @_alwaysEmitIntoClient
  init(reducer: @escaping @Sendable (inout State, I) -> [any Effect]) { self.reducer = reducer }
}

/// The intent as a value of a type, or nil if it is of another type.
///
/// Types are compared, which distinguishes structures and enumerations; an object may be of a
/// subclass. The bit cast is sound because both types are equal. A function of its own makes it: one
/// that also compared, and returned an optional, cost a typed dispatch a tenth.
@_alwaysEmitIntoClient
package func narrowed<I: AnyIntent>(_ intent: any Intent, to type: I.Type) -> I? {
  func isExact<Value>(_ value: Value) -> Bool { Value.self == I.self }
  func exact<Value>(_ value: Value) -> I { unsafeBitCast(value, to: type) }
  if isExact(intent) { return exact(intent) }
  return type is AnyClass ? intent as? I : nil
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

/// Records the intents that a reducer knows: all of its type, or, if it takes any intent and is the
/// program's own, all of them.
@_alwaysEmitIntoClient @inline(__always)
func knowing<State, I: AnyIntent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
) -> @Sendable (inout State, I) -> [any Effect] {
  #if DEBUG
    if follows(I.self) {
      return { state, intent in
        record(.following)
        return reducer(&state, intent)
      }
    }
    let isTyped = !takesAll(I.self)
    return { state, intent in
      let entries = notedEntries()
      let effects = reducer(&state, intent)
      if isTyped || notedEntries() == entries { record(.known) }
      return effects
    }
  #else
    return reducer
  #endif
}

/// Whether intents of a type are addressed to elements, so that a reducer of it only follows them.
@usableFromInline
func follows<I: AnyIntent>(_ type: I.Type) -> Bool {
  (type as? any DirectedIntent.Type)?.isAddressed == true
}

/// ``narrowed(_:to:)`` for a reducer that knows the intents of one type.
@_alwaysEmitIntoClient @inline(__always)
func recognized<I: AnyIntent>(_ intent: any Intent, as type: I.Type) -> I? {
  guard let intent = narrowed(intent, to: type) else {
    note(.entry)
    return nil
  }
  return intent
}
