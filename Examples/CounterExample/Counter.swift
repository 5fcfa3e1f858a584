import Glue

struct AppState { var value = 0 }
enum AppIntent: Intent { case increment, decrement }
enum AppEffect: Effect { case playSound }

func reducer(state: inout AppState, intent: AppIntent) -> [Effect] {
  switch intent {
  case .increment:
    state.value += 1
    if state.value % 5 == 0 { return [AppEffect.playSound] }
    return []
  case .decrement where state.value > 0:
    state.value -= 1
    return []
  default:
    return []
  }
}
