import Glue
import Testing

/// The forms in which a reducer may be written, each as the README's counter.
@Suite("Reducers, erased and typed")
struct ReducerTests {
  struct AppState { var value = 0 }
  enum AppIntent: Intent { case increment, decrement }
  enum AppEffect: Effect { case playSound }

  static func typed(state: inout AppState, intent: AppIntent) -> [Effect] {
    switch intent {
    case .increment:
      state.value += 1
      return state.value % 5 == 0 ? [AppEffect.playSound] : []
    case .decrement:
      state.value -= 1
      return []
    }
  }

  static func erased(state: inout AppState, intent: Intent) -> [Effect] {
    switch intent {
    case AppIntent.increment:
      state.value += 1
      return state.value % 5 == 0 ? [AppEffect.playSound] : []
    case AppIntent.decrement:
      state.value -= 1
      return []
    default:
      return []
    }
  }

  static func typedEffects(state: inout AppState, intent: AppIntent) -> [AppEffect] {
    typed(state: &state, intent: intent).compactMap { $0 as? AppEffect }
  }

  static let forms: [(String, @Sendable () -> Store<AppState>)] = [
    ("typed", { Store(state: AppState(), reducer: typed) }),
    ("erased", { Store(state: AppState(), reducer: erased) }),
    ("typed with typed effects", { Store(state: AppState(), reducer: typedEffects) }),
    (
      "closure",
      {
        Store(state: AppState()) { state, intent in
          switch intent {
          case AppIntent.increment: state.value += 1
          case AppIntent.decrement: state.value -= 1
          default: return []
          }
          return state.value == 5 ? [AppEffect.playSound] : []
        }
      }
    ),
    (
      "closure that returns effects of one type",
      {
        Store(state: AppState()) { state, intent in
          state.value += intent is AppIntent ? 1 : 0
          return [AppEffect.playSound]
        }
      }
    ),
    (
      "closure with short names, and a delivery",
      {
        Store(
          state: AppState(),
          reducer: {
            $0.value += $1 is AppIntent ? 1 : 0
            return [AppEffect.playSound]
          }, delivery: .immediate)
      }
    ),
    (
      "typed closure",
      {
        Store(state: AppState()) { (state, intent: AppIntent) in
          switch intent {
          case .increment: state.value += 1
          case .decrement: state.value -= 1
          }
          return state.value == 5 ? [AppEffect.playSound] : []
        }
      }
    ),
  ]

  @Test("every form reduces, and emits effects", arguments: forms.indices)
  func everyForm(index: Int) {
    let store = Self.forms[index].1()
    let sounds = Transcript<Int>()
    store.on(AppEffect.self) { [weak store] _, _ in sounds.write(store?.state.value ?? 0) }

    for _ in 1...5 { store.dispatch(AppIntent.increment) }

    #expect(store.state.value == 5)
    #expect(sounds.lines.last == 5)
  }

  @Test("intents of another type change nothing, in any form", arguments: forms.indices)
  func otherIntents(index: Int) {
    struct Other: Intent {}
    let store = Self.forms[index].1()
    store.dispatch(Other())
    #expect(store.state.value == 0)
  }

  @Test("an intent that is a class is reduced by the reducer of its superclass")
  func subclasses() {
    class Base: Intent, @unchecked Sendable {}
    final class Derived: Base, @unchecked Sendable {}
    let store = Store(state: 0) { (state: inout Int, _: Base) in
      state += 1
      return []
    }
    store.dispatch(Base())
    store.dispatch(Derived())
    #expect(store.state == 2)
  }

  @Test("an intent larger than an existential's buffer arrives whole")
  func largeIntent() {
    struct Large: Intent, Equatable {
      var numbers = (1, 2, 3, 4, 5, 6, 7, 8); var name = "large"
      static func == (a: Large, b: Large) -> Bool { a.name == b.name && a.numbers.7 == b.numbers.7 }
    }
    let store = Store(state: Large?.none) { (state: inout Large?, intent: Large) in
      state = intent
      return []
    }
    store.dispatch(Large())
    #expect(store.state == Large())
  }

  @Test("two features' intents and effects in one store")
  func twoFeatures() {
    struct Lamp: Sendable { var isOn = false }
    enum LampIntent: Intent { case toggle }
    enum LampEffect: Effect { case click }
    struct House: Sendable {
      var counter = AppState()
      var lamp = Lamp()
    }
    let store = Store(state: House()) { house, intent in
      switch intent {
      case let intent as AppIntent:
        return Self.typed(state: &house.counter, intent: intent)
      case LampIntent.toggle:
        house.lamp.isOn.toggle()
        return [LampEffect.click]
      default:
        return []
      }
    }
    let transcript = Transcript<String>()
    store.on(AppEffect.self) { effect, _ in transcript.write("\(effect)") }
    store.on(LampEffect.self) { effect, dispatch in
      transcript.write("\(effect)")
      dispatch(AppIntent.increment)
    }

    for _ in 1...5 { store.dispatch(LampIntent.toggle) }

    #expect(store.state.lamp.isOn)
    #expect(store.state.counter.value == 5)
    #expect(transcript.lines == ["click", "click", "click", "click", "click", "playSound"])
  }
}
