import Glue
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@MainActor protocol Renderer: AnyObject {
  associatedtype ViewModel: Equatable, Sendable
  func render(viewModel: ViewModel)
}

extension Store {
  @MainActor func render<R: Renderer>(
    _ viewModel: @escaping @Sendable (State) -> R.ViewModel, by renderer: R
  ) -> Subscription {
    subscribe(selector: viewModel) { @MainActor [weak renderer] in
      renderer?.render(viewModel: $0)
    }
  }
}

@Suite("Moving from the original Glue")
struct MovingFromOriginalGlue {
  struct Door { var isLocked = false }
  enum DoorIntent: Intent { case lock, unlock }
  enum DoorEffect: Effect { case click }

  func door(state: inout Door, intent: Intent) -> [Effect] {
    switch intent {
    case DoorIntent.lock where !state.isLocked:
      state.isLocked = true
      return [DoorEffect.click]
    case DoorIntent.unlock:
      state.isLocked = false
      return []
    default:
      return []
    }
  }

  final class Clicks: EffectHandler {
    func handle(effect: Effect, dispatch: @escaping DispatchFunc) {
      guard case DoorEffect.click = effect else { return }
      print("click")
    }
  }

  @MainActor final class Light {
    private(set) var isRed = false
    private var subscription: Subscription?

    func shine(for store: Store<Door>) {
      subscription = store.subscribe(selector: \.isLocked) { @MainActor [weak self] isLocked in
        self?.isRed = isLocked
      }
    }
  }

  @MainActor private final class Sign: Renderer {
    var text = ""
    func render(viewModel: String) { text = viewModel }
  }

  @Test("a light and a renderer of the main actor")
  @MainActor func mainActor() {
    let store = Store(state: Door(), reducer: door)
    let (light, sign) = (Light(), Sign())
    light.shine(for: store)
    let subscription = store.render({ $0.isLocked ? "locked" : "open" }, by: sign)
    store.dispatch(DoorIntent.lock)
    #expect(light.isRed)
    #expect(sign.text == "locked")
    withExtendedLifetime(subscription) {}
  }

  @Test("a door")
  func example() {
    let store = Store(state: Door(), reducer: door)
    store.add(effectHandler: Clicks())
    store.dispatch(DoorIntent.lock)

    #expect(store.state.isLocked)
  }
}
