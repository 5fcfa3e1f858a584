import Testing

@Suite("Each mistake that the documentation warns of has a test of what its author sees")
struct MistakeIndexTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let file: String
    let title: String

    init(_ mistake: String, _ file: String, _ title: String) {
      (testDescription, self.file, self.title) = (mistake, file, title)
    }
  }

  private static let mistakes = "GlueTests/MistakesTests"
  private static let pure = "GlueTests/G7PurityTests"

  /// What a problem reports, or nothing can.
  static let reported = [
    Row("no handler", mistakes, "no handler"),
    Row("an unknown intent", mistakes, "an intent that no reducer knows"),
    Row("an element's intent, bare", mistakes, "an element's intent that was not wrapped"),
    Row("an element's id of another type", mistakes, "an element's id of another type"),
    Row("a missing next", mistakes, "a missing next"),
    Row("a thunk without middleware", mistakes, "a thunk without its middleware"),
    Row(
      "a lasting effect, a synchronous handler", mistakes,
      "a lasting effect with a synchronous handler"),
    Row("a subscription dropped", mistakes, "a subscription dropped"),
    Row("a Task in a synchronous handler", mistakes, "a Task in a synchronous handler"),
    Row(
      "that Task, in a test", "GlueTestingTests/Tables/MistakesAtEnds",
      "a task that a synchronous handler leaves"),
    Row("never a shutdown", mistakes, "never a shutdown"),
    Row("an effect after the shutdown", mistakes, "an effect emitted after the shutdown"),
    Row("one intent type twice", mistakes, "one intent type in two reducers"),
    Row("two policies with one id", mistakes, "two policies with one id"),
    Row(
      "a handler that blocks or sleeps", "GlueTests/Async/WatchingTests",
      "a synchronous handler that takes more than a second"),
    Row(
      "a subscriber that blocks", "GlueTests/Async/WatchingTests",
      "a subscriber that takes more than a second, unless its calls are moved to a queue"),
    Row(
      "unfinished effects not resumed", "GlueJournalTests/J10MustHappenTests",
      "a program that resumes nothing of what is left is told so"),
  ]

  /// What stops the program, or is refused.
  static let stopped = [
    Row(
      "two lasting effects of one id", "GlueTests/Async/LastingEffectTests",
      "effects that can't last, and two of one id, stop the program with the cure"),
    Row("settled in an effect", "GlueTests/Async/WaitingForItselfTests", "settled()"),
    Row("dispatch in a reducer", pure, "dispatch, in a reducer"),
    Row("dispatch in a selector", pure, "dispatch, in a selector"),
    Row(
      "a second opener of a journal", "GlueJournalTests/J11OneOwnerTests",
      "a second opener is told who has it, in this process and in another"),
    Row(
      "a changed reducer", "GlueJournalTests/J13DivergenceTests",
      "a changed reducer is reported after a kill, with the commits and properties, by default"),
    Row(
      "an intent or an element without a name", "GlueJournalTests/J7NeverSkippedTests",
      "an intent without a name, or in an element, is replaced by the state, and reported once"),
    Row(
      "an effect without a name", "GlueJournalTests/J7NeverSkippedTests",
      "an effect type without a name is reported once, unless that is meant"),
    Row(
      "advance forgotten", "GlueTestingTests/Tables/MistakesInSteps",
      "an intent that comes later"),
    Row(
      "lasting: forgotten in a test", "GlueTestingTests/Tables/MistakesInSteps",
      "an effect that does not begin to last"),
  ]

  @Test("the test is there", arguments: reported + stopped)
  func isThere(row: Row) throws {
    #expect(try text("Tests/\(row.file).swift").contains("\"\(row.title)\""))
  }

  @Test("a wrong key path is a compile error that names the cause")
  func wrongKeyPath() throws {
    #expect(try text(".ci/typecheck").contains(#"mistake "a wrong key path""#))
  }
}
