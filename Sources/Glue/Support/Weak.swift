/// A weak reference that closures capture as a constant.
///
/// `[weak self]` is a variable, and each access to a variable that an escaping closure captures is
/// checked for exclusivity. That would be a call of the runtime for each intent of an effect.
@usableFromInline
struct Weak<Object: AnyObject & Sendable>: Sendable {
  @usableFromInline private(set) weak var object: Object?

  @_alwaysEmitIntoClient
  init(_ object: Object) { self.object = object }
}
