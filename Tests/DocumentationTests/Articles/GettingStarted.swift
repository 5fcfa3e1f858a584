import Foundation
import Glue
import GlueJournal
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them. The
// counter is the README's program, `ReadmeProgram`.

@Suite("Getting started")
struct GettingStarted {
  struct Game: Equatable {
    var secret: Int?
    var guesses = 0
    var answer = ""
    var isOver = false
  }

  enum GameIntent: Intent { case start, picked(Int), guess(Int) }

  struct PickNumber: Effect, Equatable { var range: ClosedRange<Int> }

  func game(state: inout Game, intent: GameIntent) -> [PickNumber] {
    switch intent {
    case .start:
      state = Game()
      return [PickNumber(range: 1...100)]
    case .picked(let number):
      state.secret = number
      state.answer = "I have picked a number from 1 to 100."
    case .guess(let number):
      guard let secret = state.secret, !state.isOver else { return [] }
      state.guesses += 1
      state.isOver = number == secret
      let hint = number < secret ? "too small" : number > secret ? "too large" : "right"
      state.answer = "Guess \(state.guesses): \(hint)."
    }
    return []
  }

  @Test func aGameStartsByPickingANumber() {
    expect(game, from: Game(secret: 7), when: .start, effects: [PickNumber(range: 1...100)]) {
      $0.secret = nil
    }
  }

  @Test func aSmallGuessIsTooSmall() {
    expect(game, from: Game(secret: 42), when: .guess(7)) {
      $0.guesses = 1
      $0.answer = "Guess 1: too small."
    }
  }

  @Test func theRightGuessEndsTheGame() {
    expect(game, from: Game(secret: 42), when: .guess(42)) {
      $0.guesses = 1
      $0.answer = "Guess 1: right."
      $0.isOver = true
    }
  }

  @Test("a broken reducer gives the article's message")
  func message() async throws {
    let article = try text("Sources/Glue/Glue.docc/GettingStarted.md")
    let issues = await recordedIssues {
      expect(broken, from: Game(secret: 42), when: .guess(42)) {
        $0.guesses = 1
        $0.answer = "Guess 1: right."
        $0.isOver = true
      }
    }
    #expect(issues.count == 1)
    #expect(issues[0].comments.contains { article.contains("\n\($0.rawValue)\n```") })
  }

  private func broken(state: inout Game, intent: GameIntent) -> [PickNumber] {
    let effects = game(state: &state, intent: intent)
    state.answer = state.answer.replacing("right", with: "too small")
    return effects
  }

  @Test("a whole program")
  func program() {
    var lines = ["50", "what?", "42"][...]
    func readLine() -> String? { lines.popFirst() }

    let store = Store(state: Game(), reducer: game)

    store.on(PickNumber.self) { effect, dispatch in
      dispatch(GameIntent.picked(.random(in: effect.range)))
    }

    let subscription = store.subscribe(selector: \.answer) { print($0) }

    store.dispatch(GameIntent.start)
    while !store.state.isOver, let line = readLine() {
      if let number = Int(line) { store.dispatch(GameIntent.guess(number)) }
    }

    #expect(store.state.guesses == (store.state.secret == 50 ? 1 : 2))
    withExtendedLifetime(subscription) {}
  }

  @Test func aWholeGame() async {
    let test = TestStore(state: Game(), reducer: game)
    test.stub(PickNumber.self) { _ in [GameIntent.picked(42)] }

    await test.send(GameIntent.start, effects: [PickNumber(range: 1...100)])
    await test.receive(GameIntent.picked(42)) {
      $0.secret = 42
      $0.answer = "I have picked a number from 1 to 100."
    }
    await test.send(GameIntent.guess(50)) {
      $0.guesses = 1
      $0.answer = "Guess 1: too large."
    }
    await test.send(GameIntent.guess(42)) {
      $0.guesses = 2
      $0.answer = "Guess 2: right."
      $0.isOver = true
    }
    await test.finish()
  }
}

@Suite("Getting started: a game that survives")
struct GettingStartedWithAJournal {
  struct Game: Equatable, Codable {
    var secret: Int?
    var guesses = 0
    var answer = ""
    var isOver = false
  }

  enum GameIntent: Intent, Codable { case began, start, picked(Int), guess(Int) }

  struct PickNumber: Effect, Equatable { var range: ClosedRange<Int> }

  func game(state: inout Game, intent: GameIntent) -> [PickNumber] {
    switch intent {
    case .began where state.secret != nil && !state.isOver:
      state.answer = "Welcome back. Guesses so far: \(state.guesses)."
    case .began:
      return game(state: &state, intent: .start)
    case .start:
      state = Game()
      return [PickNumber(range: 1...100)]
    case .picked(let number):
      state.secret = number
    case .guess(let number):
      state.guesses += 1
      state.isOver = number == state.secret
    }
    return []
  }

  private func play(_ lines: [String], in directory: TemporaryDirectory) async throws -> Game {
    var lines = lines[...]
    func readLine() -> String? { lines.popFirst() }
    // swift-format-ignore: AlwaysUseLowerCamelCase
    func Journal(
      at name: String, _ format: JournalFormat<Game>
    ) throws -> GlueJournal.Journal<Game> {
      try .init(at: "\(directory.path)/\(name)", format)
    }

    let format = JournalFormat(of: Game.self, intents: [.named("game", GameIntent.self)])
    let journal = try Journal(at: "game.journal", format)

    let store = try Store(
      state: Game(), reducer: game, journal: journal,
      first: [GameIntent.began],
      handlers: { handlers in
        handlers.on(PickNumber.self) { effect, dispatch in
          dispatch(GameIntent.picked(.random(in: effect.range)))
        }
      })

    let subscription = store.subscribe(selector: \.answer) { print($0) }

    while !store.state.isOver, let line = readLine() {
      if let number = Int(line) { store.dispatch(GameIntent.guess(number)) }
    }
    await store.shutdown()

    subscription.cancel()
    try await journal.close()
    return store.state
  }

  @Test("a program continues its game, and begins another when that has ended")
  func program() async throws {
    let directory = TemporaryDirectory()
    let first = try await play(["0"], in: directory)
    let secret = try #require(first.secret)
    #expect(first.guesses == 1)
    let second = try await play(["0", "\(secret)"], in: directory)
    #expect(second.secret == secret && second.guesses == 3 && second.isOver)
    #expect(second.answer == "Welcome back. Guesses so far: 1.")
    let third = try await play([], in: directory)
    #expect(third == Game(secret: third.secret))
  }
}
