import Glue
import Testing

/// Expects that a process stopped with the message of G7, and with these parts of it.
func expectMessage(
  of result: ExitTest.Result?, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
  let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  for part in parts + ["by that store's own reducer, or by a selector, a lasting: or an `==`"] {
    #expect(output.contains(part), sourceLocation: sourceLocation)
  }
}

/// Where a store runs code that must not use it.
enum PureCode {
  case reducer, selector, equality, lasting
}

/// A selected value whose `==` does something first.
private struct Probing: Equatable, Sendable {
  let value: Int
  let probe: @Sendable (PureCode) -> Void

  static func == (a: Probing, b: Probing) -> Bool {
    a.probe(.equality)
    return a.value == b.value
  }
}

/// Has a store that is dispatched to do something to itself, or to a subscription of its own.
func misuse(
  in place: PureCode, _ call: @escaping @Sendable (Store<Counter>, Shared<Subscription?>) -> Void
) {
  let slot = Shared<Store<Counter>?>(nil)
  let subscription = Shared<Subscription?>(nil)
  let probe: @Sendable (PureCode) -> Void = {
    if $0 == place, let store = slot.value { call(store, subscription) }
  }
  let store = Store(
    state: Counter(),
    reducer: { (_: inout Counter, _: CounterIntent) in
      probe(.reducer)
      return []
    },
    lasting: { _ in
      probe(.lasting)
      return []
    })
  subscription.value = store.subscribe(
    selector: { state in
      probe(.selector)
      return Probing(value: state.value, probe: probe)
    }, handler: { _ in })
  slot.value = store
  store.dispatch(CounterIntent.ignore)
}
