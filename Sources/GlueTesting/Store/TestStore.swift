public import Glue

/// A store under test: the test asserts everything that it does, step by step, or fails.
///
///     @Test func searching() async {
///       let test = TestStore(state: Search(), reducer: search)
///       test.stub(SearchEffect.self) { _ in [SearchIntent.found(["Glue.swift"])] }
///       await test.send(SearchIntent.typed("glue"), effects: [SearchEffect.query("glue")]) {
///         $0.text = "glue"
///       }
///       await test.receive(SearchIntent.found(["Glue.swift"])) { $0.results = ["Glue.swift"] }
///       await test.finish()
///     }
///
/// It drives a real ``/Glue/Store``, with its middleware, its asynchronous effects and their
/// policies. The store is on a ``TestClock``, whose executor also runs what the test sends: one job
/// at a time, so the same test does the same every time. `send` and `receive` return when all tasks
/// rest.
///
/// A commit's assertion covers its intent, the changes of the state, all effects in order, handled
/// or not, and the effects that begin or cease to last. ``==(_:_:)-([Effect],[Effect])`` says how
/// values are compared. `finish()` checks that nothing is left: no intent that wasn't received, no
/// effect that waits or runs. Without it, the release of the store checks that, and also finds what
/// comes later. With `exhaustivity: .off`, ``unasserted`` lists what isn't asserted, and the test
/// doesn't fail for it.
///
/// Failures are reported to Swift Testing or XCTest, at the line of the call, and the test
/// continues from the actual state. Use it from one task: it is not `Sendable`, but any actor may
/// have it.
public final class TestStore<State: Sendable> {
  /// Whether a test must assert everything that happens.
  public enum Exhaustivity: Sendable {
    /// Unasserted commits and leftovers fail the test.
    case on

    /// Unasserted commits and leftovers are listed. The test's closures are applied to the actual
    /// state and must not change it: they set values instead of changing them relatively.
    case off
  }

  /// The store itself, to subscribe to, for example.
  ///
  /// Intents dispatched to it, for example by a subscriber, must be received.
  public let store: Store<State>

  /// The store's clock, for the test to advance.
  public let clock: TestClock

  /// The state as of the latest commit that was asserted or skipped; with `exhaustivity: .off`, the
  /// store's.
  public var state: State { exhaustivity == .on ? assertedState : store.state }

  /// The state as of the latest commit that was asserted or skipped.
  var assertedState: State

  /// Whether a test must assert everything that happens; may be changed at any time.
  public var exhaustivity: Exhaustivity

  /// How much real time `receive` and `finish` give handlers that work outside of the clock's
  /// executor, unless the call names one.
  ///
  /// It also ends `perform`, `settled`, `delivered` and `shutdown` of the store, which then fail the
  /// test: after so much time without any work of the clock's executor. If it is nil, that is 10 s.
  public var limit: Duration? {
    didSet { clock.ownExecutor.patience = limit ?? clock.ownExecutor.limits.strictPatience }
  }

  /// Whether a warning names, at the line of the call, everything that the call leaves unasserted.
  ///
  /// ``unasserted`` lists the same. For tests with `exhaustivity: .off`, to see what they miss.
  public var showsSkippedAssertions = false

  let ledger: Ledger<State>
  let problems: ProblemLog
  let roster = Roster()
  let watch: TaskWatch
  let recorder = RecordingHandler<any Effect>()

  let forbidden = ForbiddenEffects()

  /// The type of intents that the reducer takes, if known.
  let intents: KnownIntents?

  /// Whether effects can last.
  let hasLasting: Bool

  /// The expected and actual lasting effects of the first state, until compared.
  var start: (expected: [LastingEffect], actual: [LastingEffect])?

  /// The number of the latest commit that was asserted or skipped.
  var lastNumber = 0

  /// The numbers of the commits that failed the test because they weren't received in time.
  var reported: Set<Int> = []

  /// The commits and effects that weren't asserted, where that didn't fail the test.
  var skipped: [String] = []

  /// The leftovers in flight that no longer fail the test.
  var excused: Set<Leftover.ID> = []
  private let framework = Framework.current
  let place: Place

  /// Creates a store under test with a reducer of all intents.
  ///
  /// - Parameters:
  ///   - state: the initial state.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - middleware: stands between `dispatch` and the reducer; the first one gets an intent first.
  ///   - monitors: observe every commit.
  ///   - lasting: derives the effects that last from the state.
  ///   - began: all effects that should last from the first state on, in the order of `lasting`.
  ///   - unfinished: the effects that an earlier process has not finished, as a journal would give
  ///     them for a recovered state. Each starts by its policy where the test adds a handler of its
  ///     type, or a stub.
  ///   - age: how long before this the earlier process emitted them: a delay waits for the rest.
  ///   - clock: the clock on which effects wait.
  ///   - exhaustivity: whether unasserted commits and leftovers fail the test.
  ///   - problems: the problems that the store should report, each once. Any other fails the test,
  ///     except unhandled effects and those that real time judges.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, began: [LastingEffect] = [],
    unfinished: [any Effect] = [], age: Duration = .zero, clock: TestClock = TestClock(),
    exhaustivity: Exhaustivity = .on, expecting problems: [Problem] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(
      state, reducer, of: nil, middleware, monitors, lasting, began, (unfinished, age), clock,
      exhaustivity, problems, place)
  }

  init(
    _ state: State, _ reducer: @escaping Reducer<State>, of intents: KnownIntents?,
    _ middleware: [Middleware<State>], _ monitors: [any Monitor<State>],
    _ lasting: (@Sendable (State) -> [LastingEffect])?, _ began: [LastingEffect],
    _ earlier: (effects: [any Effect], age: Duration), _ clock: TestClock,
    _ exhaustivity: Exhaustivity,
    _ expected: [Problem], _ place: Place
  ) {
    assertedState = state
    self.clock = clock
    clock.ownExecutor.patience = clock.ownExecutor.limits.strictPatience
    self.exhaustivity = exhaustivity
    self.intents = intents
    self.place = place
    watch = TaskWatch(executor: clock.ownExecutor)
    hasLasting = lasting != nil
    start = (began, lasting?(state) ?? [])
    let problems = ProblemLog(expecting: expected, roster, framework)
    let ledger = Ledger<State>(unfinished: earlier.effects, problems: problems)
    let log = earlier.effects.isEmpty ? nil : EarlierLog(clock: clock, age: earlier.age)
    (self.problems, self.ledger) = (problems, ledger)
    store = Store(
      state: state, reducer: watch.dropping(reducer), middleware: middleware,
      monitors: [ledger] + monitors,
      lasting: lasting, delivery: .immediate, clock: clock, report: { problems.note($0) },
      continuing: log?.start(unfinished: earlier.effects))
    store.add(witness: { [recorder] in recorder.handle(effect: $0) { _ in } })
    clock.add(
      StoreOnClock(watch: watch, place: place) { [weak store, ledger, watch] in
        store.map { inFlight(in: $0, ledger, watch).map(\.line) + lastingLines(in: $0, watch) }
          ?? []
      } check: { [weak problems] in
        problems?.check(at: $0)
      })
    warnOfObjects(in: state, at: place)
    if framework == .swiftTesting { return }
    let weakly = WeakTestStore(store: self)
    TestCaseEnd.shared.add(self) {
      guard let store = weakly.store else { return }
      store.checkNothingIsLeft(of: "at the end of the test", at: store.place)
    }
  }

  deinit {
    if framework == .xctest { TestCaseEnd.shared.remove(self) }
    checkNothingIsLeft(of: "when the TestStore was released", at: place)
  }

  /// The effects that handlers got so far, or would have got if there were any, without their
  /// policies.
  ///
  /// Effects that a policy drops, replaces or cancels before they start are not among them.
  public var startedEffects: [any Effect] { recorder.effects }

  /// The commits and effects that weren't asserted, a line each: for tests with `exhaustivity:
  /// .off`.
  ///
  /// The state of an intent that was asserted with a closure of changes is not listed.
  public var unasserted: [String] {
    skipped + ledger.pending.map(ledger.line) + leftovers.map(\.line)
  }

  /// Lists what isn't asserted.
  func skip(_ lines: [String], at place: Place) {
    skipped += lines
    if !showsSkippedAssertions || lines.isEmpty { return }
    let message = "Not asserted:" + indented(lines)
    Failure(message: message, place: place, isWarning: true).report(to: framework)
  }

  func fail(_ message: String, at place: Place) {
    Failure(message: message, place: place).report(to: framework)
  }
}

/// The one type of intents that a reducer takes.
struct KnownIntents {
  let name: String
  let include: (any Intent) -> Bool

  init<I: Intent>(_ type: I.Type) {
    name = "\(type)"
    include = { $0 is I }
  }
}

/// Sound because XCTest runs one test at a time, and this is used when that test has ended.
private struct WeakTestStore<State: Sendable>: @unchecked Sendable {
  weak let store: TestStore<State>?
}
