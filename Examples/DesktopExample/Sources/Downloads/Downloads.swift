package import Foundation
package import Glue
package import GlueJournal

package struct Download: Codable, Equatable, Sendable {
  package enum Phase: Codable, Equatable, Sendable { case wanted, paused, done, failed(String) }

  package let url: URL
  package var phase = Phase.wanted
  package var received = 0
  package var total: Int?

  package init(url: URL) { self.url = url }

  package var name: String { url.lastPathComponent }
  package var fraction: Double {
    if phase == .done { 1 } else { Double(received) / Double(max(total ?? 0, received, 1)) }
  }
}

package enum DownloadIntent: Intent, Codable, Equatable {
  case start, pause
  case progress(received: Int, total: Int?)
  case finish
  case fail(String)
}

func download(state: inout Download, intent: DownloadIntent) -> [any Effect] {
  switch intent {
  case .start where state.phase != .done: state.phase = .wanted
  case .pause where state.phase == .wanted: state.phase = .paused
  case .start, .pause: break
  case .progress(let received, let total): (state.received, state.total) = (received, total)
  case .finish: state.phase = .done
  case .fail(let reason): state.phase = .failed(reason)
  }
  return []
}

// MARK: The list

package struct Downloads: Codable, Equatable, Sendable {
  package var items: [UUID: Download] = [:]
  /// The listed ids, in their order; adding and removing can be undone.
  package var list = History<[UUID]>([])
  package var filter = ""
  package var notice: String?

  package init() {}

  /// The first two that are wanted.
  package var running: [UUID] {
    Array(list.present.lazy.filter { items[$0]?.phase == .wanted }.prefix(2))
  }
  package var finished: [UUID] { list.present.filter { items[$0]?.phase == .done } }

  /// The ids whose names contain the filter.
  package var shown: [UUID] {
    if filter.isEmpty { return list.present }
    return list.present.filter { items[$0]?.name.localizedStandardContains(filter) == true }
  }
}

package enum AddIntent: Intent, Codable, Equatable { case add(UUID, String) }
package enum ListIntent: Intent, Codable, Equatable { case insert(UUID, URL), remove([UUID]) }
package enum FilterIntent: Intent, Codable, Equatable { case type(String), apply(String) }

func add(state: inout Downloads, intent: AddIntent) -> [any Effect] {
  guard case .add(let id, let text) = intent, let url = URL(string: text),
    ["http", "https"].contains(url.scheme), url.host?.isEmpty == false, !url.hasDirectoryPath
  else {
    state.notice = "That isn’t the address of a file on the web."
    return []
  }
  state.notice = nil
  return [Send(ListIntent.insert(id, url))]
}

func list(state: inout [UUID], intent: ListIntent) -> [any Effect] {
  switch intent {
  case .insert(let id, _): state.append(id)
  case .remove(let ids): state.removeAll { ids.contains($0) }
  }
  return []
}

/// Keeps the downloads that are listed, and those that an undo can list again.
func items(state: inout Downloads, intent: ListIntent) -> [any Effect] {
  if case .insert(let id, let url) = intent { state.items[id] = Download(url: url) }
  var (list, kept) = (state.list, Set(state.list.present))
  while list.undoCount > 0 {
    list.jump(by: -1)
    kept.formUnion(list.present)
  }
  state.items = state.items.filter { kept.contains($0.key) }
  return []
}

/// Filters when typing pauses.
func filter(state: inout Downloads, intent: FilterIntent) -> [any Effect] {
  switch intent {
  case .type(let text):
    let apply = Send(FilterIntent.apply(text))
    return [apply.scheduled(.debounce(.milliseconds(200)), id: "filter")]
  case .apply(let text): state.filter = text
  }
  return []
}

package let downloads: Reducer<Downloads> = combineReducers {
  add
  withKey(\.list, use: undoable(list, limit: 100))
  items
  filter
  forEach(\.items, use: download)
}

// MARK: The work

package struct Fetch: Effect, Equatable { package let id: UUID, url: URL }

/// Keeps no parts but those of the named downloads.
package struct Sweep: Effect, Equatable { package let kept: [UUID] }

/// A download runs while it is one of the first that are wanted; its part stays while it is listed.
package func lasting(state: Downloads) -> [LastingEffect] {
  state.running.compactMap { id in
    state.items[id].map { Fetch(id: id, url: $0.url).lasting(id: "fetch").inside(id) }
  } + [Sweep(kept: state.list.present).lasting(id: "sweep")]
}

package let format = JournalFormat(
  of: Downloads.self,
  intents: [
    .named("add", AddIntent.self), .named("list", ListIntent.self),
    .named("download", DownloadIntent.self), .named("filter", FilterIntent.self),
    .named("history", HistoryIntent.self),
    .elements("item", id: UUID.self),
  ])
