import Testing

@Suite("Each mistake that the documentation describes has a test of what its author sees")
struct MistakeIndexTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String

    /// The problem, or a description.
    let sees: String
    let file: String
    let title: String

    init(_ mistake: String, _ sees: String, _ file: String, _ title: String) {
      (testDescription, self.sees, self.file, self.title) = (mistake, sees, file, title)
    }
  }

  private static let mistakes = "GlueTests/MistakesTests"
  private static let pure = "GlueTests/G7PurityTests"

  /// Mistakes that a problem reports, or that nothing can report.
  static let reported = [
    Row("no handler", "Problem.unhandledEffect", mistakes, "no handler"),
    Row("an unknown intent", "Problem.unknownIntent", mistakes, "an intent that no reducer knows"),
    Row(
      "an element's intent, bare", "Problem.unknownIntent", mistakes,
      "an element's intent that was not wrapped"),
    Row(
      "an element's id of another type", "Problem.unknownIntent", mistakes,
      "an element's id of another type"),
    Row("a missing next", "Problem.silentMiddleware", mistakes, "a missing next"),
    Row(
      "a thunk without middleware", "Problem.unhandledThunk", mistakes,
      "a thunk without its middleware"),
    Row(
      "a lasting effect, a synchronous handler", "Problem.unhandledLastingEffect", mistakes,
      "a lasting effect with a synchronous handler"),
    Row(
      "a subscription dropped", "a warning, unless it is silenced", mistakes,
      "a subscription dropped"),
    Row(
      "a Task in a synchronous handler", "nothing in the program", mistakes,
      "a Task in a synchronous handler"),
    Row(
      "that Task, in a test", "the test fails", "GlueTestingTests/Tables/MistakesAtEnds",
      "a task that a synchronous handler leaves"),
    Row("never a shutdown", "nothing", mistakes, "never a shutdown"),
    Row(
      "an effect after the shutdown", "nothing", mistakes, "an effect emitted after the shutdown"),
    Row("one intent type twice", "nothing", mistakes, "one intent type in two reducers"),
    Row("two policies with one id", "nothing", mistakes, "two policies with one id"),
    Row(
      "a handler that blocks or sleeps", "Problem.slowDelivery", "GlueTests/Async/WatchingTests",
      "a synchronous handler that takes more than a second"),
    Row(
      "a subscriber that blocks", "Problem.slowDelivery", "GlueTests/Async/WatchingTests",
      "a subscriber that takes more than a second, unless its calls are moved to a queue"),
    Row(
      "unfinished effects without a handler", "Problem.unhandledEffect",
      "GlueJournalTests/J10MustHappenTests",
      "a store that is made without a handler of a left-over effect gets a problem"),
    Row(
      "a handler that never returns", "Problem.slowDelivery", "GlueTests/Async/WatchTests",
      "a handler that doesn't return is no delivery that hasn't begun, and found in debug builds"),
    Row(
      "a loop that doesn't run", "Problem.stalledDelivery", "GlueTests/Async/WatchTests",
      "a custom loop that runs no body"),
    Row(
      "a main queue that doesn't run", "Problem.stalledDelivery", "GlueTests/Async/WatchTests",
      "the main queue and the main actor, while the main thread is blocked"),
    Row(
      "a canceled effect that goes on, at the end", "Problem.heldUpShutdown",
      "GlueTests/Async/WatchTests",
      "a shutdown that waits for an effect which ignores its cancellation, unless it has a limit"),
    Row(
      "a canceled effect that goes on, and a next one", "Problem.heldUpEffect",
      "GlueTests/Async/WatchTests",
      "an effect that waits for a canceled one, if it is the same at both looks"),
    Row(
      "a lasting effect that every commit changes", "Problem.renewedLastingEffect",
      "GlueTests/Async/ProblemTests",
      "a lasting effect whose value or id differs after each of ten commits"),
    Row(
      "a negative duration", "Problem.negativeDuration", "GlueTests/Async/ProblemTests",
      "a negative duration of a policy, but not a duration of zero"),
    Row(
      "a lasting effect that returns", "Problem.endedLastingEffect", mistakes,
      "a lasting effect's handler that returns"),
    Row(
      "CancelEffects for a lasting effect", "Problem.cancellationOfLastingEffect", mistakes,
      "a lasting effect's id to cancel"),
    Row(
      "more comes in than goes out", "Problem.growingOutbox", "GlueTests/Async/ProblemTests",
      "an outbox of more than 100,000 deliveries"),
    Row(
      "a handler and the reducer cause one another", "Problem.endlessDelivery",
      "GlueTests/Async/ProblemTests",
      "one dispatch with 1,000,000 deliveries, with the types of the last intents"),
  ]

  private static let heard = "GlueTestingTests/Tables/MistakesHeard"

  /// Mistakes in tests, and in programs under test.
  static let inTests = [
    Row(
      "a lasting effect, a synchronous handler", "the test fails", heard,
      "a lasting effect with a synchronous handler"),
    Row(
      "a lasting effect that returns", "the test fails", heard,
      "a lasting effect whose handler returns"),
    Row(
      "a thunk without middleware", "the test fails", heard, "a thunk without its middleware"),
    Row(
      "CancelEffects for a lasting effect", "the test fails", heard,
      "a cancellation of a lasting effect"),
    Row("a missing next", "the test fails", heard, "a middleware that passes nothing on"),
    Row(
      "a lasting effect that every commit changes", "the test fails", heard,
      "a lasting effect that every commit renews"),
    Row("a negative duration", "the test fails", heard, "a negative duration"),
    Row(
      "a problem that doesn't come", "the test fails", heard,
      "a problem that is expected, and does not come"),
    Row("no handler", "the test fails: which", heard, "an effect without a handler"),
    Row("a stub of another type", "the test fails: which", heard, "a stub of what an effect holds"),
    Row("a stub of ScheduledEffect", "the test fails: which", heard, "a stub of scheduled effects"),
    Row("a late handler", "the test fails: which", heard, "a handler that comes too late"),
    Row(
      "dropped by .leading", "the test fails: why", heard, "an effect that another one precedes"),
    Row("dropped by .throttle", "the test fails: why", heard, "an effect that a window drops"),
    Row("canceled", "the test fails: why", heard, "an effect that was canceled"),
    Row("after a shutdown", "the test fails: why", heard, "an effect after a shutdown"),
    Row(
      "a detached task", "the test fails", "GlueTestingTests/Tables/MistakesAtEnds",
      "a task that no store runs"),
    Row(
      "a part that leaves intents", "the test fails", "GlueTestingTests/Tables/MistakesAtEnds",
      "an intent that a part leaves"),
    Row(
      "an unknown intent to a reducer", "the test fails", heard,
      "an intent that a reducer under test does not know"),
    Row(
      "an element's id of another type, to a reducer", "the test fails", heard,
      "an element's intent with an id of another type, to a reducer"),
    Row(
      "an empty recording", "an error", "GlueJournalTests/J13ReplayTests",
      "verify throws for a recording without commits"),
    Row(
      "effects that a recording doesn't name", "a line on standard error",
      "GlueJournalTests/J13ReplayTests", "verify names the effects that it can't compare"),
  ]

  private static let ending = "GlueTestingTests/EndingTests"
  private static let exploring = "GlueTestingTests/ExploreEndingTests"

  /// Mistakes because of which a test would not end.
  static let endless = [
    Row(
      "a lost wake-up", "the test fails", exploring,
      "finds a lost wake-up, and prints the shortest order of it"),
    Row(
      "perform in explore, the clock not advanced", "the test fails", exploring,
      "ends the call of a store that waits for the clock, and the body, once"),
    Row(
      "a call of a store, an effect that never ends", "the test fails", ending,
      "fails where a call of the store waits for what does not come, and names that"),
    Row(
      "a call of a store, the clock not advanced", "the test fails", ending,
      "fails where a plain store's clock isn't advanced, and by a test store's limit"),
    Row(
      "a handler that polls", "the test fails", ending,
      "fails where a handler polls, in each kind of step, once"),
    Row(
      "a handler that polls, on trial", "the test fails", ending,
      "fails where a handler on trial polls"),
    Row(
      "sleeping for no time", "the test fails", ending,
      "fails where a handler sleeps for no time, on both clocks"),
    Row(
      "dispatching in a loop", "the test fails", ending,
      "fails where a handler dispatches again and again"),
    Row(
      "dispatching in a loop without a suspension", "the test fails", ending,
      "fails where a handler dispatches in a loop without a suspension"),
    Row(
      "a Send that causes itself", "the test fails", ending,
      "fails where a reducer sends again and again, or causes its effect again"),
    Row(
      "an effect that causes itself", "the test fails", ending,
      "fails where a store without a test store causes its effect again"),
    Row(
      "a handler that blocks its thread", "the test fails", ending,
      "fails where a handler blocks its thread, and names it"),
    Row(
      "run() with a ticker", "the test fails", "GlueTestingTests/Tables/MistakesAtEnds",
      "running a clock with a ticker"),
  ]

  /// Mistakes that stop the program, or are refused.
  static let stopped = [
    Row(
      "two lasting effects of one id", "the program stops", "GlueTests/Async/LastingEffectTests",
      "effects that can't last, and two of one id, stop the program with the cure"),
    Row(
      "settled in an effect", "the program stops", "GlueTests/Async/WaitingForItselfTests",
      "settled()"),
    Row(
      "a call for a signal that ends the program", "the program stops",
      "GlueConsoleTests/ConsoleTests",
      "a call for a signal that ends the program stops it with the cure"),
    Row(
      "MainQueue on another thread", "the program stops", "GlueTests/MainQueueTests",
      "where the main queue isn't the caller's, the program stops with the cure"),
    Row("dispatch in a reducer", "the program stops", pure, "dispatch, in a reducer"),
    Row("dispatch in a selector", "the program stops", pure, "dispatch, in a selector"),
    Row(
      "a second opener of a journal", "an error that names the process",
      "GlueJournalTests/J11OneOwnerTests",
      "an error names the owner to a second opener, in this process and in another"),
    Row(
      "a changed reducer", "a line of the journal's report:", "GlueJournalTests/J13DivergenceTests",
      "a changed reducer is reported after a kill, with the commits and properties, by default"),
    Row(
      "an intent or an element without a name", "a line of the journal's report:",
      "GlueJournalTests/J7NeverSkippedTests",
      "an intent without a name, or in an element, is replaced by the state, and reported once"),
    Row(
      "an effect without a name", "a line of the journal's report:",
      "GlueJournalTests/J7NeverSkippedTests",
      "an effect type without a name is reported once, unless that is meant"),
    Row(
      "a delayed Send without a name", "a line of the journal's report:",
      "GlueJournalTests/J7NeverSkippedTests",
      "an effect type without a name is reported once, unless that is meant"),
    Row(
      "a property removed without a new version", "a line of the journal's report:",
      "GlueJournalTests/J9UnreadPropertiesTests",
      "reporting keeps the files aside until they are removed, and the old program can read them"),
    Row(
      "another program's journal", "a line of the journal's report:",
      "GlueJournalTests/J9UnreadPropertiesTests",
      "another program's journal, if its state decodes, is named as well"),
    Row(
      "a log that a rotator cuts off", "the program stops",
      "GlueJournalTests/J11RemovedFilesTests",
      "a program whose log is cut off or continued by another ends without notifying"),
    Row(
      "advance forgotten", "the test fails: advance the clock",
      "GlueTestingTests/Tables/MistakesInSteps",
      "an intent that comes later"),
    Row(
      "lasting: forgotten in a test", "the test fails", "GlueTestingTests/Tables/MistakesInSteps",
      "an effect that does not begin to last"),
  ]

  @Test("the test is there", arguments: reported + inTests + endless + stopped)
  func isThere(row: Row) throws {
    #expect(try text("Tests/\(row.file).swift").contains("\"\(row.title)\""))
    if !row.sees.hasPrefix("Problem.") { return }
    let article = try text("Sources/Glue/Glue.docc/WhyIsNothingHappening.md")
    #expect(article.contains("``\(row.sees.replacing(".", with: "/"))"))
  }

  @Test("a wrong key path is a compile error that names the cause")
  func wrongKeyPath() throws {
    #expect(try text(".ci/typecheck").contains(#"mistake "a wrong key path""#))
  }
}
