// Favorites: show a change at once, and take it back if the server refuses it.
//
// A row keeps two values: what the user wants, and what the server has confirmed. It asks for one
// change at a time, and asks again if the user has changed their mind meanwhile. Each row's
// request and reply are its own: neither the reducer nor the handler knows that there are rows.

import Glue
import GlueConsole

struct Book: Equatable, Sendable, Identifiable {
  let id: Int
  var title: String
  var isFavorite = false
  var isConfirmed = false
  var isSaving = false
  var failure: String?

  /// Asks the server for what it doesn't have, unless it is being asked.
  fileprivate mutating func save() -> [any Effect] {
    if isSaving || isFavorite == isConfirmed { return [] }
    (isSaving, failure) = (true, nil)
    return [SaveFavorite(title: title, isFavorite: isFavorite)]
  }
}

enum BookIntent: Intent, Equatable { case toggle, saved(Bool), refused(String) }

struct SaveFavorite: Effect, Equatable {
  var title: String
  var isFavorite: Bool
}

func book(state: inout Book, intent: BookIntent) -> [any Effect] {
  switch intent {
  case .toggle: state.isFavorite.toggle()
  case .saved(let isFavorite): (state.isSaving, state.isConfirmed) = (false, isFavorite)
  case .refused(let reason):
    (state.isSaving, state.isFavorite) = (false, state.isConfirmed)
    state.failure = reason
  }
  return state.save()
}

struct Favorites: Equatable, Sendable {
  var books = ["Dune", "Emma", "Ulysses"].enumerated().map { Book(id: $0 + 1, title: $1) }
}

let favoritesFeature: Reducer<Favorites> = forEach(\.books, use: book)

/// A server that takes a second, and has no room for some titles.
struct FavoriteServer: AsyncEffectHandler {
  let clock: any Clock<Duration>
  var refused: Set = ["Ulysses"]

  func handle(effect: SaveFavorite, dispatch: @escaping DispatchFunc) async {
    try? await clock.sleep(for: .seconds(1))
    dispatch(
      refused.contains(effect.title)
        ? BookIntent.refused("\(effect.title) is too long")
        : BookIntent.saved(effect.isFavorite))
  }
}

let favoritesStudy = Study(
  "favorites", "show a change at once, and take it back if it is refused", keys: "1-3: toggle",
  store: {
    Store(
      state: Favorites(), reducer: favoritesFeature,
      handlers: { handlers in
        handlers.add(effectHandler: FavoriteServer(clock: ContinuousClock()))
      })
  },
  draw: { state in
    state.books.map { book in
      let status = book.isSaving ? "saving …" : book.failure ?? ""
      return "\(book.id) \(book.isFavorite ? "♥" : "♡") \(book.title) \(status)"
    }
  },
  press: { key, state in
    guard case .text(let digit) = key, let id = Int(digit), 1...state.books.count ~= id else {
      return nil
    }
    return ElementIntent(id: id, intent: BookIntent.toggle)
  })
