// Search: results while a user types, and none that come too late.
//
// Each key replaces the search before it, which waits for a pause or runs, because they have one
// id. An empty text cancels it. So a reply to an old text never comes, and the reducer needn't
// look for one.

import Glue
import GlueConsole

struct Search: Equatable, Sendable {
  var text = ""
  var titles: [String] = []
  var isSearching = false
}

enum SearchIntent: Intent, Equatable { case edit(String), found([String]) }

struct FindTitles: Effect, Equatable { var text: String }

func search(state: inout Search, intent: SearchIntent) -> [any Effect] {
  switch intent {
  case .edit(""):
    state = Search()
    return [CancelEffects(id: "find")]
  case .edit(let text):
    state.text = text
    state.isSearching = true
    return [FindTitles(text: text).scheduled(.debounce(.milliseconds(300)), id: "find")]
  case .found(let titles):
    state.titles = titles
    state.isSearching = false
    return []
  }
}

/// A service that takes its time: a handler has it as a property, so that a test can give it
/// another.
struct Library: Sendable {
  let clock: any Clock<Duration>
  var titles = ["Dune", "Emma", "Hamlet", "Ivanhoe", "Macbeth", "Odyssey", "Othello", "Ulysses"]

  func titles(containing text: String) async -> [String] {
    try? await clock.sleep(for: .milliseconds(200))
    return titles.filter { $0.lowercased().contains(text.lowercased()) }
  }
}

struct Finding: AsyncEffectHandler {
  let library: Library

  func handle(effect: FindTitles, dispatch: @escaping DispatchFunc) async {
    dispatch(SearchIntent.found(await library.titles(containing: effect.text)))
  }
}

let searchStudy = Study(
  "search", "results while a user types, and none that come too late",
  keys: "type a title   Backspace: erase   Enter: clear",
  store: {
    Store(
      state: Search(), reducer: search,
      handlers: { handlers in
        handlers.add(effectHandler: Finding(library: Library(clock: ContinuousClock())))
      })
  },
  draw: { ["Search: \($0.text)\($0.isSearching ? " …" : "")"] + $0.titles },
  press: { key, state in
    switch key {
    case .text(let text): SearchIntent.edit(state.text + text)
    case .backspace: SearchIntent.edit(String(state.text.dropLast()))
    case .enter: SearchIntent.edit("")
    default: nil
    }
  })
