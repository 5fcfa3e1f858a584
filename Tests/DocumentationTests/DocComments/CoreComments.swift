import Glue
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

private struct Bell: Sendable {
  func play() {}
  func stop() {}
}
private let player = Bell()

@Suite("Comments of the core")
struct CoreComments {
  private struct AppState { var value = 0 }
  private enum AppIntent: Intent { case increment }
  private enum AppEffect: Effect { case playSound }
  private final class SoundEffectHandler: EffectHandler {
    func handle(effect: AppEffect, dispatch: @escaping DispatchFunc) {}
  }

  enum CounterIntent: Intent { case increment, decrement }

  struct Copy: Effect { var source: String, target: String }
  enum CounterEffect: Effect { case playSound, stopSound }
  private enum FileIntent: Intent { case copied(String, Bool) }

  final class Sounds: EffectHandler {
    func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) {
      switch effect {
      case .playSound: player.play()
      case .stopSound: player.stop()
      }
    }
  }

  private protocol Reducers {
    func reducer(state: inout AppState, intent: any Intent) -> [any Effect]
    func reducer(state: inout AppState, intent: AppIntent) -> [any Effect]
    func reducer(state: inout AppState, intent: AppIntent) -> [AppEffect]
  }

  private func reducer(state: inout AppState, intent: AppIntent) -> [AppEffect] {
    state.value += 1
    return [.playSound]
  }

  @Test("a store")
  func store() {
    let store = Store(state: AppState(), reducer: reducer)
    store.add(effectHandler: SoundEffectHandler())
    let subscription = store.subscribe(selector: \.value) { print($0) }
    store.dispatch(AppIntent.increment)

    let copyFile = { (source: String, target: String) in source != target }
    store.on(Copy.self) { copy, dispatch in
      let hasCopied = copyFile(copy.source, copy.target)
      dispatch(FileIntent.copied(copy.target, hasCopied))
    }

    let app = store.view(of: \.self, intent: AppIntent.self)
    app.dispatch(.increment)

    #expect(store.state.value == 2)
    subscription.cancel()
  }

  @MainActor private final class Screen {
    var title = ""
    var subscription: Subscription?

    func appear(with store: Store<AppState>) {
      subscription = store.subscribe(selector: \.value) { @MainActor [weak self] value in
        self?.title = "Count: \(value)"
      }
    }
  }

  @Test("subscriptions that are kept")
  func kept() {
    let store = Store(state: AppState(), reducer: reducer)
    var subscriptions: Set<Subscription> = []
    store.subscribe(selector: \.value) { print($0) }.store(in: &subscriptions)
    #expect(subscriptions.count == 1)
  }

  @Test("a subscriber of the main actor")
  @MainActor func mainActor() {
    let store = Store(state: AppState(), reducer: reducer)
    let screen = Screen()
    screen.appear(with: store)
    store.dispatch(AppIntent.increment)
    #expect(screen.title == "Count: 1")
  }
}
