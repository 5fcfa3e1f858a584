import Glue
import GlueTesting

/// A feature whose intents say what to emit, for tables of tests.
struct Desk: Sendable, Equatable {
  struct Letter: Sendable, Equatable { var text = "" }

  var notes: [String] = []
  var letter: Letter?
}

enum DeskIntent: Intent, Equatable {
  case note(String)
  case count(Int, of: String)
  case open
  case work
  case schedule(EffectPolicy)
  case cancel

  var isOpening: Bool { self == .open }
}

struct Work: Effect, Equatable {}

/// An intent that the desk's reducer does not know.
struct Foreign: Intent {}

func desk(state: inout Desk, intent: DeskIntent) -> [any Effect] {
  switch intent {
  case .note(let text): state.notes.append(text)
  case .count(let count, of: let text): state.notes += Array(repeating: text, count: count)
  case .open: state.letter = Desk.Letter(text: "Dear")
  case .work: return [Work()]
  case .schedule(let policy): return [Work().scheduled(policy, id: "work")]
  case .cancel: return [CancelEffects(id: "work")]
  }
  return []
}

/// The effects that `schedule` emits.
func scheduled(_ policy: EffectPolicy) -> [any Effect] {
  [Work().scheduled(policy, id: "work")]
}

/// Work that lasts while there is a letter.
let writing = Work().lasting(id: "letter")

func deskStore(
  middleware: [Middleware<Desk>] = [], monitors: [any Monitor<Desk>] = [],
  clock: TestClock = TestClock(), exhaustivity: TestStore<Desk>.Exhaustivity = .on,
  _ work: (@Sendable (TestClock, @escaping DispatchFunc) async -> Void)? = nil
) -> TestStore<Desk> {
  let test = TestStore(
    state: Desk(), reducer: desk, middleware: middleware, monitors: monitors, clock: clock,
    exhaustivity: exhaustivity)
  if let work {
    test.on(Work.self) { [clock = test.clock] _, dispatch async in await work(clock, dispatch) }
  }
  return test
}

/// A desk that is staffed while there is a letter.
func writingDesk(
  expecting problems: [Problem] = [],
  _ work: @escaping @Sendable (TestClock, @escaping DispatchFunc) async -> Void = { _, _ in
    await untilCanceled()
  }
) -> TestStore<Desk> {
  let test = TestStore(
    state: Desk(), reducer: desk, lasting: { $0.letter == nil ? [] : [writing] },
    expecting: problems)
  test.on(Work.self) { [clock = test.clock] _, dispatch async in await work(clock, dispatch) }
  return test
}

/// Waits until the current task is canceled.
func untilCanceled() async {
  let (stream, continuation) = AsyncStream<Never>.makeStream()
  for await _ in stream {}
  withExtendedLifetime(continuation) {}
}

/// A test of the desk with a name, for tables.
struct DeskCase: Sendable, CustomStringConvertible {
  let description: String

  /// A part of the message that it gives, if it is a mistake.
  let message: String
  let body: @Sendable () async throws -> Void

  init(
    _ description: String, _ message: String = "",
    _ body: @escaping @Sendable () async throws -> Void
  ) {
    self.description = description
    self.message = message
    self.body = body
  }
}
