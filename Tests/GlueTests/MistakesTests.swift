import Glue
import GlueTesting
import ProcessSupport
import Testing

/// Mistakes and what a program's author sees of each.
///
/// Those that stop the program are in `G7PurityTests`, those of tests in `MistakeTests`.
@Suite("Mistakes are reported, but for those that may be meant", .unwatched)
struct MistakesTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String

    /// The report: in every build, or in debug builds; nil for a mistake that can't be detected.
    let problem: Problem?
    let isFoundInDebugBuilds: Bool
    let make: @Sendable (TestClock, @escaping @Sendable (Problem) -> Void) async -> Void

    init(
      _ description: String, _ problem: Problem?, inDebugBuilds: Bool = false,
      make:
        @escaping @Sendable (TestClock, @escaping @Sendable (Problem) -> Void) async -> Void
    ) {
      testDescription = description
      (self.problem, isFoundInDebugBuilds, self.make) = (problem, inDebugBuilds, make)
    }
  }

  private struct Row: Sendable, Identifiable { let id: Int }
  private enum RowIntent: Intent { case change }
  @Sendable private static func row(row: inout Row, intent: RowIntent) -> [any Effect] { [] }

  /// A store of notes; those named "last" have works last.
  private static func notes(
    _ clock: TestClock, _ report: @escaping @Sendable (Problem) -> Void,
    middleware: [Middleware<[String]>] = []
  ) -> Store<[String]> {
    Store(
      state: [], reducer: working, middleware: middleware,
      lasting: { $0.filter { $0 == "last" }.prefix(1).map { Work(name: $0).lasting(id: $0) } },
      clock: clock, report: report)
  }

  static let reported = [
    Mistake("no handler", .unhandledEffect(type: "Work")) { clock, report in
      notes(clock, report).emit(Work(name: "a"))
    },
    Mistake(
      "an intent that no reducer knows",
      .unknownIntent(type: "RowIntent", cure: "combine the reducer of its feature"),
      inDebugBuilds: true
    ) { clock, report in
      notes(clock, report).dispatch(RowIntent.change)
    },
    Mistake(
      "an element's intent that was not wrapped",
      .unknownIntent(
        type: "RowIntent", cure: "a forEach takes it in ElementIntent(id: …, intent: …)"),
      inDebugBuilds: true
    ) { _, report in
      let store = Store(state: [Row(id: 1)], reducer: forEach(\.self, use: row), report: report)
      store.dispatch(RowIntent.change)
    },
    Mistake(
      "an element's id of another type",
      .unknownIntent(
        type: "ElementIntent<String> of RowIntent",
        cure: "a forEach or a withKey(_:id:use:) whose ids are of String takes it, and the ids "
          + "here are of Int"),
      inDebugBuilds: true
    ) { _, report in
      let store = Store(state: [Row(id: 1)], reducer: forEach(\.self, use: row), report: report)
      store.dispatch(ElementIntent(id: "1", intent: RowIntent.change))
    },
    Mistake("a missing next", .silentMiddleware(index: 0), inDebugBuilds: true) { clock, report in
      let store = notes(clock, report, middleware: [{ _, _ in { _ in { _ in } } }])
      for _ in 0..<100 { store.note("a") }
    },
    Mistake("a thunk without its middleware", .unhandledThunk(type: "Thunk<Array<String>>")) {
      notes($0, $1).dispatch(Thunk { _, _ in })
    },
    Mistake(
      "a lasting effect with a synchronous handler", .unhandledLastingEffect(type: "Work")
    ) { clock, report in
      let store = notes(clock, report)
      store.on(Work.self) { (_: Work, _: @escaping DispatchFunc) -> Void in }
      store.note("last")
    },
    Mistake("a lasting effect's handler that returns", .endedLastingEffect(type: "Work")) {
      clock, report in
      let store = notes(clock, report)
      store.onWork { _, _ in }
      store.note("last")
      await clock.rest()
      await store.shutdown()
    },
    Mistake("a lasting effect's id to cancel", .cancellationOfLastingEffect(type: "Work")) {
      clock, report in
      let store = notes(clock, report)
      store.onWork { _, _ in try? await clock.sleep(for: .seconds(1)) }
      store.note("last")
      store.emit(CancelEffects(id: "last"))
      await store.shutdown()
    },
  ]

  static let silent = [
    Mistake("CancelEffects of an unknown id", nil) { clock, report in
      notes(clock, report).emit(CancelEffects(id: "unknown"))
    },
    Mistake("an id that no element has", nil) { _, report in
      let store = Store(state: [Row(id: 1)], reducer: forEach(\.self, use: row), report: report)
      store.dispatch(ElementIntent(id: 2, intent: RowIntent.change))
    },
    Mistake("a subscription dropped", nil) { clock, report in
      let store = notes(clock, report)
      _ = store.subscribe { _ in }
      store.note("a")
    },
    Mistake("a Task in a synchronous handler", nil) { clock, report in
      let store = notes(clock, report)
      store.onQuickWork { _, _ in Task {} }
      store.emit(QuickWork(name: "a"))
    },
    Mistake("an effect emitted after the shutdown", nil) { clock, report in
      let store = notes(clock, report)
      await store.shutdown()
      store.emit(QuickWork(name: "a"))
    },
    Mistake("never a shutdown", nil) { clock, report in
      let store = notes(clock, report)
      store.onWork { _, _ in try? await clock.sleep(for: .seconds(1)) }
      store.emit(Work(name: "a"))
    },
    Mistake("two policies with one id", nil) { clock, report in
      let store = notes(clock, report)
      store.onWork { _, _ in }
      store.emit(
        Work(name: "a").scheduled(.latest, id: 1), Work(name: "b").scheduled(.leading, id: 1))
      await store.settled()
    },
    Mistake("one intent type in two reducers", nil) { _, report in
      let reducer: Reducer<[Row]> = combineReducers {
        withKey(\.[0], use: row)
        withKey(\.[0], use: row)
      }
      Store(state: [Row(id: 1)], reducer: reducer, report: report).dispatch(RowIntent.change)
    },
  ]

  @Test("what is seen", arguments: reported + silent)
  func seen(mistake: Mistake) async {
    let problems = Transcript<Problem>()
    await mistake.make(TestClock()) { problems.write($0) }
    #if DEBUG
      #expect(problems.lines == (mistake.problem.map { [$0] } ?? []))
    #else
      let isFound = !mistake.isFoundInDebugBuilds
      #expect(problems.lines == (mistake.problem.map { isFound ? [$0] : [] } ?? []))
    #endif
  }
}
