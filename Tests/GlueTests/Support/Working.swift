import Glue
import GlueTesting

/// The feature that tests of scheduled and asynchronous effects use: the state is a list of notes,
/// and intents say which effects to emit.
enum WorkIntent: Intent {
  case emit([any Effect])
  case note(String)
}

/// Work that asynchronous handlers do.
struct Work: Effect, Equatable {
  let name: String
  var duration = Duration.zero
}

/// Work that synchronous handlers do.
struct QuickWork: Effect, Equatable {
  let name: String
}

@Sendable
func working(notes: inout [String], intent: WorkIntent) -> [any Effect] {
  switch intent {
  case .emit(let effects): return effects
  case .note(let note):
    notes.append(note)
    return []
  }
}

extension Store<[String]> {
  convenience init(
    middleware: [Middleware<[String]>] = [], delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      state: [], reducer: working, middleware: middleware, delivery: delivery, clock: clock)
  }

  func emit(_ effects: any Effect...) { dispatch(WorkIntent.emit(effects)) }
  func note(_ note: String) { dispatch(WorkIntent.note(note)) }

  /// Handles `Work` in a task, by its name.
  func onWork(_ handler: @escaping @Sendable (String, @escaping DispatchFunc) async -> Void) {
    on(Work.self) { work, dispatch in await handler(work.name, dispatch) }
  }

  /// Handles `QuickWork` at once, by its name.
  func onQuickWork(_ handler: @escaping @Sendable (String, @escaping DispatchFunc) -> Void) {
    on(QuickWork.self) { work, dispatch in handler(work.name, dispatch) }
  }

  /// Writes down when, in units, works start, end and are canceled; what has ended, or was
  /// canceled, also dispatches a note of that.
  func record(
    in transcript: Transcript<TimedLine>, on clock: TestClock, unit: Duration = .milliseconds(100)
  ) {
    let write: @Sendable (Character, String) -> Void = {
      transcript.write(TimedLine(time: clock.now.offset / unit, what: $0, name: $1))
    }
    on(Work.self) { work, dispatch in
      write("[", work.name)
      let isOver = (try? await clock.sleep(for: work.duration)) != nil
      write(isOver ? "]" : "x", work.name)
      dispatch(WorkIntent.note(isOver ? work.name : "canceled \(work.name)"))
    }
    on(QuickWork.self) { work, dispatch in
      write("[", work.name)
      write("]", work.name)
      dispatch(WorkIntent.note(work.name))
    }
  }
}

/// That a work started (`[`), ended (`]`) or was canceled (`x`), with the time.
struct TimedLine: Hashable, Comparable, CustomStringConvertible {
  let time: Double
  let what: Character
  let name: String

  var description: String { "\(time) \(what) \(name)" }

  static func < (a: TimedLine, b: TimedLine) -> Bool {
    (a.time, a.name, a.what) < (b.time, b.name, b.what)
  }
}

/// An id that is an object: equal to others of its number, and counted as it goes.
final class ObjectID: Hashable, Sendable {
  let number: Int
  private let onDeinit: @Sendable () -> Void

  init(_ number: Int, onDeinit: @escaping @Sendable () -> Void = {}) {
    self.number = number
    self.onDeinit = onDeinit
  }

  deinit { onDeinit() }

  static func == (a: ObjectID, b: ObjectID) -> Bool { a.number == b.number }
  func hash(into hasher: inout Hasher) { hasher.combine(number) }
}

/// One of each policy.
let policies: [EffectPolicy] = [
  .latest, .restarting, .leading, .sequential, .concurrent, .debounce(.seconds(1)),
  .throttle(.seconds(1)), .delay(.seconds(1)),
]
