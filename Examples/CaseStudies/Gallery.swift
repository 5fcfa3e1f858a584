// The list of studies, which is a feature as well.

import Glue
import GlueConsole

let studies = [
  counterStudy, twoCountersStudy, todosStudy, searchStudy, timersStudy, socketStudy,
  longLivingStudy, refreshableStudy, favoritesStudy, downloadsStudy, recursionStudy,
  optionalChildStudy, enumStudy, stackStudy, sharedSettingsStudy, idsAndDatesStudy, loginStudy,
  retriesStudy, memosStudy,
]

struct Gallery: Equatable, Sendable {
  /// The name of the study that is open; nil for the list.
  var open: String?
}

enum GalleryIntent: Intent { case show(String?), press(Key) }

enum GalleryEffect: Effect, Equatable { case show(String?), press(Key), quit }

func gallery(state: inout Gallery, intent: GalleryIntent) -> [any Effect] {
  switch intent {
  case .show(let name):
    state.open = name
    return [GalleryEffect.show(name)]
  case .press(.control("C")), .press(.control("D")): return [GalleryEffect.quit]
  case .press(.escape):
    return state.open == nil ? [GalleryEffect.quit] : gallery(state: &state, intent: .show(nil))
  case .press(let key) where state.open != nil: return [GalleryEffect.press(key)]
  case .press(let key):
    guard let study = zip(letters, studies).first(where: { key == .text($0.0) })?.1 else {
      return []
    }
    return gallery(state: &state, intent: .show(study.name))
  }
}

/// The keys of the list.
let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)

/// The list: its letters, names and titles.
let list = zip(letters, studies).map { letter, study in
  "\(letter)  \(study.name)\(String(repeating: " ", count: 18 - study.name.count))\(study.title)"
}

/// Shows the list, or a study, on a terminal.
final class Player: EffectHandler {
  private let console: Console
  private var study: OpenStudy?

  init(on console: Console) { self.console = console }

  func handle(effect: GalleryEffect, dispatch: @escaping DispatchFunc) {
    switch effect {
    case .show(let name):
      study = nil
      guard let shown = studies.first(where: { $0.name == name }) else {
        return console.draw("Case studies", list, keys: "a letter opens   Esc: quit")
      }
      study = shown.open { [console] lines in
        console.draw("\(shown.name): \(shown.title)", lines, keys: "\(shown.keys)   Esc: list")
      }
    case .press(let key): _ = study?.press(key)
    case .quit: console.end()
    }
  }
}

extension Console {
  /// Draws over the screen, from its top.
  func draw(_ title: String, _ lines: [String], keys: String) {
    let text = ([title, ""] + lines.map { "  \($0)" } + [""]).map { "\($0)\u{1B}[K\n" }.joined()
    write("\u{1B}[H\(text)\u{1B}[J", terminator: "")
    status(keys)
  }
}
