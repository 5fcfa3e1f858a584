import Foundation
import Glue
import GlueInspector

/// A search with a mistake: a reply that comes late replaces that of a later query.
struct Search: Sendable, Equatable {
  var query = ""
  var results: [Hit] = []
  var status = Status.idle
  var saved: [String: Int] = [:]

  enum Status: Sendable, Equatable { case idle, searching(String), done(hits: Int, query: String) }
}

struct Hit: Sendable, Equatable, Identifiable {
  let id: Int
  var name: String
  var isSeen = false
}

enum SearchIntent: Intent { case typed(String), found([Hit], for: String), see(Int), saved }

enum SearchEffect: Effect, Equatable { case find(String), save(String), watch(String) }

struct Unheard: Effect {}

func search(state: inout Search, intent: SearchIntent) -> [any Effect] {
  switch intent {
  case .typed(let text):
    state.query = text
    state.status = .searching(text)
    return [
      SearchEffect.find(text),
      SearchEffect.save(text).scheduled(.debounce(.milliseconds(200)), id: "save"),
    ]
  case .found(let hits, let query):
    state.results = hits
    state.status = .done(hits: hits.count, query: query)
  case .see(let id):
    for index in state.results.indices where state.results[index].id == id {
      state.results[index].isSeen = true
    }
    return [Unheard()]
  case .saved:
    state.saved[state.query, default: 0] += 1
  }
  return []
}

func writeRun(to folder: String) async throws {
  let inspector = Inspector<Search>()
  let laned = Inspector<Search>(lane: { effect in
    if case SearchEffect.find? = effect as? SearchEffect { "find" } else { nil }
  })
  let store = Store(
    state: Search(), reducer: search, monitors: [inspector, laned],
    lasting: { state in
      state.query.count > 1 ? [SearchEffect.watch(state.query).lasting(id: "watch")] : []
    }, report: { _ in })
  store.on(SearchEffect.self) { effect, dispatch in
    switch effect {
    case .find(let text):
      try? await Task.sleep(for: .milliseconds(text == "gl" ? 520 : 130))
      let names = ["glade", "glow", "glue", "glue gun"].filter { $0.hasPrefix(text) }
      dispatch(SearchIntent.found(zip(1..., names).map { Hit(id: $0, name: $1) }, for: text))
    case .watch: try? await Task.sleep(for: .seconds(1000))
    case .save:
      try? await Task.sleep(for: .milliseconds(60))
      dispatch(SearchIntent.saved)
    }
  }
  for text in ["g", "gl", "glu", "glue"] {
    store.dispatch(SearchIntent.typed(text))
    try await Task.sleep(for: .milliseconds(110))
  }
  await store.settled()
  store.dispatch(SearchIntent.see(3))
  try inspector.writePage(to: "\(folder)/run.html")
  try laned.writePage(to: "\(folder)/stale.html")
  try inspector.writeTrace(to: "\(folder)/run.json")
  try inspector.page(live: "/events").write(
    toFile: "\(folder)/live.html", atomically: true, encoding: .utf8)
  var lines = ""
  for await line in inspector.events {
    lines += line + "\n"
    if line.contains("SearchIntent.see") { break }
  }
  try lines.write(toFile: "\(folder)/run.jsonl", atomically: true, encoding: .utf8)
}
