import Glue
import GlueJournal

struct AppState: Codable { var value = 0 }
enum AppIntent: Intent, Codable { case increment, decrement }
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

/// A store that begins with 0, or goes on where the journal of a directory ends.
func makeStore(journal directory: String?) throws -> Store<AppState> {
  let format = JournalFormat(of: AppState.self, intents: [.named("counter", AppIntent.self)])
  let journal = try directory.map { try Journal(at: $0, format) }
  return try Store(state: AppState(), reducer: reducer, journal: journal)
}
