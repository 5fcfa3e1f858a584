import Glue

/// The feature that most tests use: searching, debounced, with an effect that takes time.
struct Search: Sendable, Equatable {
  var text = ""
  var isSearching = false
  var results: [String] = []
}

enum SearchIntent: Intent, Equatable {
  case typed(String)
  case found([String])
  case cleared

  var hasOneResult: Bool {
    if case .found(let results) = self { results.count == 1 } else { false }
  }
}

enum SearchEffect: Effect, Equatable {
  case query(String)
}

func search(state: inout Search, intent: SearchIntent) -> [any Effect] {
  switch intent {
  case .typed(let text):
    state.text = text
    state.isSearching = true
    return [SearchEffect.query(text).scheduled(.debounce(.milliseconds(300)), id: "search")]
  case .found(let results):
    state.isSearching = false
    state.results = results
    return []
  case .cleared:
    state = Search()
    return [CancelEffects(id: "search")]
  }
}

/// Finds the text itself, after a second.
struct Searching: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
    switch effect {
    case .query(let text):
      do {
        try await clock.sleep(for: .seconds(1))
        dispatch(SearchIntent.found([text]))
      } catch {
        dispatch(SearchIntent.found([]))
      }
    }
  }
}

/// The effects that the reducer emits for a text.
func query(_ text: String) -> any Effect {
  SearchEffect.query(text).scheduled(.debounce(.milliseconds(300)), id: "search")
}

/// The same as messages name it.
func debounced(_ text: String) -> String {
  #"SearchEffect.query("\#(text)").scheduled(.debounce(0.3 seconds), id: "search")"#
}
