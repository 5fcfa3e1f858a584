import Glue
import GlueTesting
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

@Suite("Comments of GlueTesting, on a counter")
struct CounterComments {
  struct AppState { var value = 4 }
  enum AppIntent: Intent { case increment }
  enum AppEffect: Effect { case playSound }

  private func typed(state: inout AppState, intent: AppIntent) -> [AppEffect] {
    state.value += 1
    return [.playSound]
  }
  private func halfTyped(state: inout AppState, intent: AppIntent) -> [any Effect] {
    typed(state: &state, intent: intent)
  }
  private func erased(state: inout AppState, intent: any Intent) -> [any Effect] {
    typed(state: &state, intent: .increment)
  }

  struct SilentPlayer: Sendable {}
  final class Sounds: EffectHandler {
    init(player: SilentPlayer) {}
    func handle(effect: AppEffect, dispatch: @escaping DispatchFunc) {}
  }

  @Test func soundsKeepTheirContract() async {
    await checkContract(effects: [AppEffect.playSound]) { _ in
      Sounds(player: SilentPlayer())
    }
  }

  @Test func recorded() {
    let store = Store(state: AppState(), reducer: typed)

    let sounds = RecordingHandler<AppEffect>()
    store.add(effectHandler: sounds)
    store.dispatch(AppIntent.increment)
    #expect(sounds.effects == [.playSound])
  }

  struct Call: Effect, Equatable {
    let name: String
    let body: @Sendable () -> Void

    static func == (a: Call, b: Call) -> Bool { a.name == b.name }
  }

  @Test func effectsWithClosures() {
    let (a, b): ([any Effect], [any Effect]) = ([Call(name: "a") {}], [Call(name: "b") {}])
    #expect(!(a == b))
  }

  @Test func erasedEffects() {
    var state = AppState()
    let effects = halfTyped(state: &state, intent: .increment)

    #expect(effects == [AppEffect.playSound])
  }

  @Test func erased() {
    let reducer = erased(state:intent:)

    expect(
      reducer, from: AppState(value: 4), when: AppIntent.increment,
      effects: [AppEffect.playSound]
    ) { $0.value = 5 }
  }

  @Test func halfTyped() {
    let reducer = halfTyped(state:intent:)

    expect(
      reducer, from: AppState(value: 4), when: .increment, effects: [AppEffect.playSound]
    ) { $0.value = 5 }
  }

  @Test func typed() {
    let reducer = typed(state:intent:)

    expect(reducer, from: AppState(value: 4), when: .increment, effects: [.playSound]) {
      $0.value = 5
    }
  }

  @Test func sent() async {
    let test = TestStore(state: AppState(), reducer: halfTyped(state:intent:))

    await test.send(AppIntent.increment, effects: [AppEffect.playSound]) { $0.value = 5 }

    test.assert { $0.value = 5 }
  }
}
