import Foundation
import Glue

@testable import GlueInspector

/// A list of names that can be searched.
struct Names: Sendable, Equatable {
  var query = ""
  var hits: [Hit] = []
  var token: String?
}

struct Hit: Sendable, Hashable, Identifiable {
  let id: Int
  var name: String
}

enum NamesIntent: Intent { case type(String), found([Hit]), signIn(token: String) }

enum NamesEffect: Effect, Equatable { case find(String) }

func names(state: inout Names, intent: NamesIntent) -> [any Effect] {
  switch intent {
  case .type(let text):
    state.query = text
    return text.isEmpty ? [CancelEffects(id: "find")] : [NamesEffect.find(text)]
  case .found(let hits): state.hits = hits
  case .signIn(let token): state.token = token
  }
  return []
}

/// A store with a handler that answers at once.
func namesStore(_ inspector: Inspector<Names>) -> Store<Names> {
  let store = Store(state: Names(), reducer: names, monitors: [inspector])
  store.on(NamesEffect.self) { effect, dispatch in
    guard case .find(let text) = effect else { return }
    dispatch(NamesIntent.found([Hit(id: 1, name: text)]))
  }
  return store
}

/// Passes the commits of a store on.
final class Commits<State: Sendable>: Monitor {
  private let commits = Locked<[Commit<State>]>([])
  var all: [Commit<State>] { commits.withLock { $0 } }
  func observe(_ commit: Commit<State>) { commits.withLock { $0.append(commit) } }
}

/// Collects what a closure is given.
final class Lines: Sendable {
  private let lines = Locked<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func append(_ line: String) { lines.withLock { $0.append(line) } }
}

extension Inspector {
  var lines: [String] { log.withLock { $0.entries.map(\.line) } }

  /// The lines as other programs read them.
  var told: [[String: Any]] {
    get throws { try lines.map(object) }
  }
}

func object(_ json: String) throws -> [String: Any] {
  try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any] ?? [:]
}

/// A file that deinit removes.
final class TemporaryFile {
  let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  deinit { try? FileManager.default.removeItem(atPath: path) }
  var text: String {
    get throws { try String(contentsOfFile: path, encoding: .utf8) }
  }
}
