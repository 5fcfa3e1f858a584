import Foundation
import Glue
import Testing

@Suite("undoable")
struct HistoryTests {
  enum Text: Intent { case type(String), clear, touch }
  struct Sound: Effect {}

  static func text(state: inout String, intent: Text) -> [any Effect] {
    switch intent {
    case .type(let letters): state += letters
    case .clear: state = ""
    case .touch: break
    }
    return [Sound()]
  }

  private func run(
    _ intents: [any Intent], on history: inout History<String>, limit: Int = 100
  ) -> [any Effect] {
    intents.flatMap { undoable(Self.text, limit: limit)(&history, $0) }
  }

  @Test("undo and redo go through the steps, and undoing past the start does nothing")
  func undoAndRedo() {
    var history = History("")
    _ = run([Text.type("a"), Text.type("b"), HistoryIntent.undo], on: &history)
    #expect(history.present == "a")
    #expect(history.undoCount == 1)
    #expect(history.redoCount == 1)

    _ = run([HistoryIntent.undo, HistoryIntent.undo, HistoryIntent.undo], on: &history)
    #expect(history.present == "")
    _ = run([HistoryIntent.redo, HistoryIntent.redo, HistoryIntent.redo], on: &history)
    #expect(history.present == "ab")
  }

  @Test("a new step makes what was undone forgotten")
  func newStepAfterUndo() {
    var history = History("")
    _ = run(
      [Text.type("a"), Text.type("b"), HistoryIntent.undo, Text.type("c"), HistoryIntent.redo],
      on: &history)
    #expect(history.present == "ac")
    #expect(history.redoCount == 0)
  }

  @Test("a jump moves by its steps, or not at all where there are fewer")
  func jump() {
    var history = History("")
    _ = run(["a", "b", "c"].map { Text.type($0) }, on: &history)
    for (steps, expected) in [
      (-2, "a"), (1, "ab"), (0, "ab"), (2, "ab"), (-3, "ab"), (.min, "ab"), (.max, "ab"), (-2, ""),
      (3, "abc"),
    ] {
      _ = run([HistoryIntent.jump(by: steps)], on: &history)
      #expect(history.present == expected, "after a jump by \(steps)")
    }
  }

  @Test("effects pass; undo and redo have none")
  func effects() {
    var history = History("")
    #expect(run([Text.type("a")], on: &history) is [Sound])
    #expect(run([HistoryIntent.undo, HistoryIntent.redo], on: &history).isEmpty)
  }

  @Test("no more steps are kept than the limit says", arguments: [0, 1, 3])
  func limit(_ limit: Int) {
    var history = History("")
    _ = run((0..<9).map { Text.type("\($0)") }, on: &history, limit: limit)
    #expect(history.undoCount == limit)
    _ = run([HistoryIntent](repeating: .undo, count: 9), on: &history, limit: limit)
    #expect(history.present == String("012345678".dropLast(limit)))
    #expect(history.redoCount == limit)
  }

  @Test("steps beyond the limit are released")
  func memory() {
    let released = Shared(0)
    struct Page: Sendable { var held: OnDeinit }
    let reducer: Reducer<History<Page>> = undoable(
      { (page: inout Page, _: any Intent) in
        page.held = OnDeinit { released.change { $0 += 1 } }
        return []
      }, limit: 10)
    var history = History(Page(held: OnDeinit {}))
    for _ in 0..<100 { _ = reducer(&history, CounterIntent.ignore) }
    #expect(released.value == 89)
  }

  @Test("an intent that leaves an Equatable state equal, or of another type, is no step")
  func unchanged() {
    var history = History("")
    _ = run([Text.type("a"), Text.touch, CounterIntent.ignore], on: &history)
    #expect(history.undoCount == 1)
    _ = run([HistoryIntent.undo, Text.touch, HistoryIntent.redo], on: &history)
    #expect(history.present == "a")
  }

  @Test("consecutive intents of one group are one step, until another or an undo ends it")
  func groups() {
    let reducer = undoable(
      Self.text, limit: 100,
      group: {
        if case Text.type = $0 { "typing" } else { nil }
      })
    var history = History("")
    for intent: any Intent in [
      Text.type("a"), Text.type("b"), Text.clear, Text.type("c"), Text.type("d"),
    ] {
      _ = reducer(&history, intent)
    }
    #expect(history.undoCount == 3)
    var seen: [String] = []
    for _ in 1...3 {
      _ = reducer(&history, HistoryIntent.undo)
      seen.append(history.present)
    }
    #expect(seen == ["", "ab", ""])
    _ = reducer(&history, HistoryIntent.redo)
    _ = reducer(&history, Text.type("e"))
    #expect(history.present == "abe")
    #expect(history.undoCount == 2)
  }

  @Test("a jump by 0 leaves a group open; only intents that count are asked for their group")
  func groupsAndOthers() {
    let reducer = undoable(
      Self.text, limit: 100,
      group: {
        #expect($0 is Text)
        return 1
      })
    var history = History("")
    for intent: any Intent in [
      Text.type("a"), HistoryIntent.jump(by: 0), CounterIntent.ignore, Text.type("b"),
    ] {
      _ = reducer(&history, intent)
    }
    #expect(history.undoCount == 1)
  }

  @Test("the steps of a group after the first change the present in place")
  func groupInPlace() {
    let buffers = Transcript<UInt>()
    let reducer: Reducer<History<[Int]>> = undoable(
      { (numbers: inout [Int], _: any Intent) in
        numbers[0] += 1
        buffers.write(numbers.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
        return []
      }, limit: 5, group: { _ in 1 })
    var history = History([Int](repeating: 0, count: 1000))
    for _ in 0..<5 { _ = reducer(&history, CounterIntent.ignore) }
    #expect(Set(buffers.lines).count == 1)
  }

  @Test("an intent that is not recorded changes the present, and is no step")
  func recording() {
    let reducer = undoable(
      Self.text, limit: 100,
      recording: {
        if case Text.clear = $0 { false } else { true }
      })
    var history = History("")
    for intent: any Intent in [Text.type("a"), Text.clear, Text.type("b"), HistoryIntent.undo] {
      _ = reducer(&history, intent)
    }
    #expect(history.present == "")
    #expect(history.undoCount == 1)
  }

  private static let grouped = undoable(
    Self.text, limit: 100,
    group: {
      if case Text.type = $0 { Field.title } else { nil }
    })

  private enum Field { case title }

  @Test("a decoded history equals the encoded one and continues like it")
  func coding() throws {
    let intents: [any Intent] = [
      Text.type("a"), Text.clear, Text.type("b"), Text.type("c"), HistoryIntent.undo,
      HistoryIntent.redo, Text.type("d"), Text.type("e"), HistoryIntent.jump(by: -2), Text.clear,
    ]
    var live = History("")
    var restored = live
    for intent in intents {
      restored = try JSONDecoder().decode(
        History<String>.self, from: JSONEncoder().encode(restored))
      #expect(restored == live)
      #expect(restored.hashValue == live.hashValue)
      _ = Self.grouped(&live, intent)
      _ = Self.grouped(&restored, intent)
      #expect(restored == live, "after \(intent)")
    }
  }

  @Test("histories with another past, future or open group are not equal")
  func equality() {
    var typed = History("")
    _ = Self.grouped(&typed, Text.type("a"))
    var plain = History("")
    _ = run([Text.type("a")], on: &plain)
    #expect(typed != plain)

    var undone = plain
    _ = run([Text.clear, HistoryIntent.undo], on: &undone)
    #expect(undone.present == plain.present)
    #expect(undone != plain)
    #expect(plain != History("a"))
  }

  @Test("groups that print alike but are of another kind are not one group")
  func groupsOfOtherKinds() {
    let reducer = undoable(
      Self.text, limit: 100,
      group: { intent in
        if case Text.type("1") = intent { 1 } else { "1" }
      })
    var history = History("")
    for letters in ["1", "2", "1"] { _ = reducer(&history, Text.type(letters)) }
    #expect(history.undoCount == 3)
  }

  @Test("a history that was restored for a lower limit forgets what is too old at the next step")
  func restoredForALowerLimit() {
    var history = History("")
    _ = run((0..<9).map { Text.type("\($0)") }, on: &history)
    _ = run([Text.clear], on: &history, limit: 3)
    #expect(history.undoCount == 3)
  }

  @Test(
    "its intents are encoded and decoded",
    arguments: [HistoryIntent.undo, .redo, .jump(by: -2)])
  func codingIntents(intent: HistoryIntent) throws {
    let data = try JSONEncoder().encode(intent)
    #expect(try JSONDecoder().decode(HistoryIntent.self, from: data) == intent)
  }

  @Test("in a store, a whole history is a state like any other")
  func inAStore() {
    let store = Store(state: History(""), reducer: undoable(Self.text, limit: 10))
    let transcript = Transcript<String>()
    let subscription = store.subscribe(selector: \.present) { transcript.write($0) }
    for intent: any Intent in [Text.type("a"), Text.type("b"), HistoryIntent.jump(by: -2)] {
      store.dispatch(intent)
    }
    #expect(transcript.lines == ["", "a", "ab", ""])
    withExtendedLifetime(subscription) {}
  }
}
