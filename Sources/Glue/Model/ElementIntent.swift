/// An intent for one element of a collection, or for one of several parts that are alike.
///
///     store.dispatch(ElementIntent(id: todo.id, intent: TodoIntent.toggle))
///
/// A feature that observes its elements' intents is a reducer of the same intents, beside
/// `forEach`:
///
///     func progress(state: inout Progress, intent element: ElementIntent<Todo.ID>) -> [any Effect] {
///       if case .toggle = element.intent(as: TodoIntent.self) { state.toggles += 1 }
///       return []
///     }
///
/// Two are equal if their ids and intents are; intents that are not `Equatable` never are.
public struct ElementIntent<ID: Hashable & Sendable>: Intent, Equatable {
  /// The addressed element: its key in a dictionary, its `id` in an array, or the part's `id`.
  public let id: ID

  /// The intent that the element's reducer gets.
  public let intent: any Intent

  /// Addresses an intent to an element.
  public init(id: ID, intent: any Intent) {
    self.id = id
    self.intent = intent
  }

  /// The intent, if it is of this type.
  ///
  /// A debug build reports an intent that no element's reducer takes, unless a reducer that follows the
  /// elements has asked for its type, or asks for none by this method: so ask for all of them by it.
  @_alwaysEmitIntoClient
  public func intent<I: Intent>(as type: I.Type) -> I? {
    let intent = narrowed(intent, to: type)
    note(.asked(isOfType: intent != nil))
    return intent
  }

  /// Compares ids and intents.
  public static func == (a: ElementIntent, b: ElementIntent) -> Bool {
    a.id == b.id && areEqual(a.intent, b.intent)
  }
}

/// An intent for the part to which ids lead, the outermost first; the intent itself for the whole.
package func addressed(_ intent: any Intent, to path: [any Hashable & Sendable]) -> any Intent {
  path.reversed().reduce(intent) { addressed($0, to: $1) }
}

/// An intent for a part of the whole.
func addressed(_ intent: any Intent, to id: any Hashable & Sendable) -> any Intent {
  func element(_ id: some Hashable & Sendable) -> any Intent {
    ElementIntent(id: id, intent: intent)
  }
  return element(id)
}

/// An intent that only one kind of combinators takes.
protocol DirectedIntent: Intent {
  /// The id of the element or part that it is addressed to, and the intent that it carries there.
  var address: Address? { get }

  /// The combinators that take it.
  static var takers: String { get }

  /// Whether it is addressed to an element or a part.
  static var isAddressed: Bool { get }
}

/// The id of an element or a part, and the intent that another one carries there.
package typealias Address = (id: any Hashable & Sendable, intent: any Intent)

/// Where an intent carries another one, and that one; nil if it isn't addressed.
package func address(of intent: any Intent) -> Address? {
  (intent as? any DirectedIntent)?.address
}

extension ElementIntent: DirectedIntent {
  var address: Address? { (id, intent) }
  static var isAddressed: Bool { true }
  static var takers: String { "a forEach or a withKey(_:id:use:) whose ids are of \(ID.self)" }
}
