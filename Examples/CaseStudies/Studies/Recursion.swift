// Recursion: folders in folders, each of which loads its own content.
//
// A folder's reducer lifts itself to the folders inside. A folder that is opened asks for its
// content, and the reply finds it at any depth, although neither the effect nor the handler has a
// path.

import Glue
import GlueConsole

struct Folder: Equatable, Sendable, Identifiable {
  let id: String
  var isOpen = false
  var isLoading = false
  var folders: [Folder] = []
}

enum FolderIntent: Intent, Equatable { case toggle, loaded([String]) }

struct ListFolder: Effect, Equatable { var name: String }

func folder(state: inout Folder, intent: FolderIntent) -> [any Effect] {
  switch intent {
  case .toggle:
    state.isOpen.toggle()
    state.isLoading = state.isOpen
    return state.isOpen
      ? [ListFolder(name: state.id).scheduled(.latest, id: "list")] : [CancelEffects(id: "list")]
  case .loaded(let names):
    state.isLoading = false
    state.folders = names.map { Folder(id: $0) }
    return []
  }
}

let folderFeature: Reducer<Folder> = combineReducers {
  folder
  forEach(\.folders) { (inner: inout Folder, intent: any Intent) in folderFeature(&inner, intent) }
}

struct FolderListing: AsyncEffectHandler {
  let clock: any Clock<Duration>
  var content = [
    "/": ["etc", "home", "usr"], "home": ["ann", "bob"], "usr": ["bin", "lib"], "ann": ["photos"],
  ]

  func handle(effect: ListFolder, dispatch: @escaping DispatchFunc) async {
    try? await clock.sleep(for: .milliseconds(500))
    dispatch(FolderIntent.loaded(content[effect.name] ?? []))
  }
}

extension Folder {
  /// The folders that are shown, each with the ids that lead to it.
  var shown: [(path: [String], folder: Folder)] {
    [([], self)]
      + (isOpen ? folders.flatMap { folder in folder.shown.map { ([folder.id] + $0, $1) } } : [])
  }
}

let recursionStudy = Study(
  "recursion", "folders in folders, each of which loads its own content",
  keys: "1-9: open, close",
  store: {
    Store(
      state: Folder(id: "/"), reducer: folderFeature,
      handlers: { handlers in
        handlers.add(effectHandler: FolderListing(clock: ContinuousClock()))
      })
  },
  draw: { state in
    zip(1..., state.shown).map { number, shown in
      let space = String(repeating: "  ", count: shown.path.count)
      return "\(number) \(space)\(shown.folder.id)\(shown.folder.isLoading ? " …" : "")"
    }
  },
  press: { key, state in
    guard case .text(let digit) = key, let number = Int(digit), 1...state.shown.count ~= number
    else { return nil }
    return state.shown[number - 1].path.reversed().reduce(FolderIntent.toggle as any Intent) {
      ElementIntent(id: $1, intent: $0)
    }
  })
