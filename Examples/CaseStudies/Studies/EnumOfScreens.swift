// Enum of screens: a game whose state is one screen at a time.
//
// Each case has a computed optional, four lines, which `withKey` lifts like any other optional
// part. So a screen gets its intents only while it is shown. The parent decides what comes next,
// after the screen has reduced its intent. A random number is made where the intent is.

import Glue
import GlueConsole

struct Menu: Equatable, Sendable { var limit = 3 }

enum MenuIntent: Intent { case raise, play(secret: Int) }

func menu(state: inout Menu, intent: MenuIntent) -> [any Effect] {
  switch intent {
  case .raise: state.limit = min(state.limit + 3, 9)
  case .play: break  // the game's
  }
  return []
}

struct Round: Equatable, Sendable {
  let secret: Int
  var guesses: [Int] = []

  var hint: String {
    switch guesses.last {
    case nil: "Guess"
    case let guess?: guess == secret ? "Yes" : guess < secret ? "More" : "Less"
    }
  }
}

enum RoundIntent: Intent { case guess(Int), giveUp }

func round(state: inout Round, intent: RoundIntent) -> [any Effect] {
  switch intent {
  case .guess(let number): state.guesses.append(number)
  case .giveUp: break  // the game's
  }
  return []
}

enum Game: Equatable, Sendable {
  case menu(Menu), round(Round), won(guesses: Int)

  var menu: Menu? {
    get { if case .menu(let menu) = self { menu } else { nil } }
    set { if let newValue { self = .menu(newValue) } }
  }

  var round: Round? {
    get { if case .round(let round) = self { round } else { nil } }
    set { if let newValue { self = .round(newValue) } }
  }
}

func starting(state: inout Game, intent: MenuIntent) -> [any Effect] {
  if case .play(let secret) = intent, state.menu != nil { state = .round(Round(secret: secret)) }
  return []
}

func ending(state: inout Game, intent: RoundIntent) -> [any Effect] {
  guard let round = state.round else { return [] }
  if case .giveUp = intent { state = .menu(Menu()) }
  if round.guesses.last == round.secret { state = .won(guesses: round.guesses.count) }
  return []
}

let gameFeature: Reducer<Game> = combineReducers {
  withKey(\.menu, use: menu)
  withKey(\.round, use: round)
  starting
  ending
}

let enumStudy = Study(
  "enum-of-screens", "a game whose state is one screen at a time",
  keys: "r: raise   p: play   1-9: guess   g: give up",
  store: { Store(state: Game.menu(Menu()), reducer: gameFeature) },
  draw: { state in
    switch state {
    case .menu(let menu): ["A number up to \(menu.limit)"]
    case .round(let round): ["\(round.hint)", "\(round.guesses)"]
    case .won(let guesses): ["Found with \(guesses) guesses"]
    }
  },
  press: { key, state in
    switch (key, state) {
    case (.text("r"), .menu): MenuIntent.raise
    case (.text("p"), .menu(let menu)): MenuIntent.play(secret: Int.random(in: 1...menu.limit))
    case (.text("g"), .round): RoundIntent.giveUp
    case (.text(let digits), .round): Int(digits).map { RoundIntent.guess($0) }
    default: nil
    }
  })
