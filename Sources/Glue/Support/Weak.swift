/// A weak reference that closures capture as a constant.
///
/// To a variable, which `[weak self]` is, each access of an escaping closure is checked.
@usableFromInline
struct Weak<Object: AnyObject & Sendable>: Sendable {
  @usableFromInline private(set) weak var object: Object?

  @_alwaysEmitIntoClient
  init(_ object: Object) { self.object = object }
}
