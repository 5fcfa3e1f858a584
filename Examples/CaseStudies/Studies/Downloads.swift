// Downloads: work in rows, two at a time, that pauses, continues, and ends with its row.
//
// Each row says whether it wants to load, and its list keeps which came first: `lasting:` takes the
// first two. Progress reaches the row that loads. A row that is removed asks its list to remove it;
// its effect ends with it, because the state doesn't have it any more.

import Glue
import GlueConsole

struct Download: Equatable, Sendable, Identifiable {
  let id: Int
  var percent = 0

  /// Where the current attempt has begun; nil if the download isn't wanted now.
  var start: Int?

  var isWanted: Bool { start != nil && percent < 100 }
}

enum DownloadIntent: Intent { case toggle, loaded(percent: Int), remove }

func download(state: inout Download, intent: DownloadIntent) -> [any Effect] {
  switch intent {
  case .toggle: state.start = state.start == nil ? state.percent : nil
  case .loaded(let percent): state.percent = percent
  case .remove: break  // the list's
  }
  return []
}

struct Fetch: Effect, Equatable { var start: Int }

func fetching(download: Download) -> [LastingEffect] {
  download.start.map { [Fetch(start: $0).lasting(id: "fetch")] } ?? []
}

struct Downloads: Equatable, Sendable {
  var all = (1...4).map { Download(id: $0) }

  /// The rows that want to load, the longest waiting first.
  var queue: [Download.ID] = []
}

func queueing(state: inout Downloads, intent: ElementIntent<Download.ID>) -> [any Effect] {
  if case .remove = intent.intent(as: DownloadIntent.self) {
    state.all.removeAll { $0.id == intent.id }
  }
  let isWanted = state.all.contains { $0.id == intent.id && $0.isWanted }
  if isWanted && !state.queue.contains(intent.id) { state.queue.append(intent.id) }
  if !isWanted { state.queue.removeAll { $0 == intent.id } }
  return []
}

let downloadsFeature: Reducer<Downloads> = combineReducers {
  forEach(\.all, use: download)
  queueing
}

func fetchingTwo(state: Downloads) -> [LastingEffect] {
  lastingEach(state.queue.prefix(2).compactMap { id in state.all.first { $0.id == id } }, fetching)
}

struct Fetching: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: Fetch, dispatch: @escaping DispatchFunc) async {
    for percent in stride(from: effect.start + 20, through: 100, by: 20) {
      guard (try? await clock.sleep(for: .milliseconds(500))) != nil else { return }
      dispatch(DownloadIntent.loaded(percent: percent))
    }
  }
}

let downloadsStudy = Study(
  "downloads", "work in rows, two at a time, that ends with its row",
  keys: "1-4: load, pause   x: remove the first",
  store: {
    Store(
      state: Downloads(), reducer: downloadsFeature, lasting: fetchingTwo,
      handlers: { handlers in handlers.add(effectHandler: Fetching(clock: ContinuousClock())) })
  },
  draw: { state in
    state.all.map { download in
      let bar = String(repeating: "#", count: download.percent / 10)
      let status = download.isWanted ? "wanted" : download.percent == 100 ? "done" : "paused"
      return "\(download.id) \(download.percent) % \(status) \(bar)"
    }
  },
  press: { key, state in
    guard case .text(let text) = key else { return nil }
    let id = text == "x" ? state.all.first?.id : Int(text)
    guard let id, state.all.contains(where: { $0.id == id }) else { return nil }
    return ElementIntent(id: id, intent: text == "x" ? DownloadIntent.remove : .toggle)
  })
