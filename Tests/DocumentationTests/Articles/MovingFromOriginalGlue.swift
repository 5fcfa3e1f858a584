import Glue
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

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

  @Test("a door")
  func example() {
    let store = Store(state: Door(), reducer: door)
    store.add(effectHandler: Clicks())
    store.dispatch(DoorIntent.lock)

    #expect(store.state.isLocked)
  }
}
