import Glue
import GlueTesting
import Testing

@Suite("A test store receives the intents of parts")
struct ReceivingInTests {
  @Test("of an element, by an intent, a case, a type and a condition, from its handler")
  func elements() async {
    let test = TestStore(state: House(), reducer: house)
    test.stub(Ask.self) { _ in
      [.lit(3), .off, .lit(4), .lit(5), .lit(6)] as [RoomIntent]
    }
    await test.send(RoomIntent.ask, in: 2, effects: [Ask().inside(2)])
    await test.receive(RoomIntent.lit(3), in: 2) { $0.rooms[2]?.light = 3 }
    await test.receive(RoomIntent.off, in: 2) { $0.rooms[2]?.light = 0 }
    await test.receive(case: RoomIntent.lit, in: 2) { state, _ in state.rooms[2]?.light = 4 }
    await test.receive(any: RoomIntent.self, in: 2) { state, _ in state.rooms[2]?.light = 5 }
    await test.receive(any: RoomIntent.self, where: \.isLit, in: 2) { state, _ in
      state.rooms[2]?.light = 6
    }
    await test.finish()
  }

  @Test("at any depth, and of a history in a part")
  func depth() async {
    let test = TestStore(state: Street(), reducer: street)
    await test.reply(
      inLeft(2, RoomIntent.lit(3)), inLeft("garden", RoomIntent.lit(4)),
      inLeft("garden", HistoryIntent.undo))
    await test.receive(RoomIntent.lit(3), in: Side.left, 2) { $0.left.rooms[2]?.light = 3 }
    await test.receive(case: RoomIntent.lit, in: Side.left, "garden") { state, light in
      state.left.garden.step { $0.light = light }
    }
    await test.receive(HistoryIntent.undo, in: Side.left, "garden") {
      $0.left.garden.jump(by: -1)
    }
    await test.finish()
  }

  @Test("whose ids are named in part, and whose intent carries the rest")
  func halves() async {
    let test = TestStore(state: Street(), reducer: street)
    let intent = ElementIntent(id: 2, intent: RoomIntent.off)
    await test.reply(
      inLeft(2, RoomIntent.off), inLeft(2, RoomIntent.off), inLeft(2, RoomIntent.off))
    await test.receive(intent, in: Side.left)
    await test.receive(any: ElementIntent<Int>.self, in: Side.left)
    await test.receive(ElementIntent(id: Side.left, intent: intent))
    await test.finish()
  }

  @Test("and gives their payloads to the closure")
  func payloads() async {
    let test = TestStore(state: House(), reducer: house)
    let replies: [any Intent] = [
      RoomIntent.lit(3), RoomIntent.failed("no", code: 4), RoomIntent.named(text: "a"),
      Dimmed(light: 5),
    ]
    for reply in replies { await test.reply(ElementIntent(id: 2, intent: reply)) }
    await test.receive(case: RoomIntent.lit, in: 2) { $0.rooms[2]?.light = $1 }
    await test.receive(case: RoomIntent.failed, in: 2) { state, failure in
      state.rooms[2]?.error = "\(failure.0) \(failure.1)"
    }
    await test.receive(case: RoomIntent.named, in: 2) { state, text in
      state.rooms[2]?.error = text
    }
    await test.receive(any: Dimmed.self, in: 2) { state, dimmed in
      state.rooms[2]?.light = dimmed.light
    }
    await test.finish()
  }

  @Test("and of the whole")
  func whole() async {
    let test = TestStore(state: Room(), reducer: room)
    await test.reply(RoomIntent.lit(3), Dimmed(light: 5))
    await test.receive(case: RoomIntent.lit) { state, light in state.light = light }
    await test.receive(any: Dimmed.self) { state, dimmed in state.light = dimmed.light }
    await test.finish()
  }

  @Test("of which others are skipped where not all is asserted")
  func skipping() async {
    let test = TestStore(state: House(), reducer: house, exhaustivity: .off)
    await test.reply(
      ElementIntent(id: 1, intent: RoomIntent.lit(3)),
      ElementIntent(id: 2, intent: RoomIntent.lit(3)))
    await test.receive(case: RoomIntent.lit, in: 2) { state, light in
      state.rooms[2]?.light = light
    }
    #expect(test.unasserted.count == 1)
  }
}

@Suite("A test store names the level at which intents differ:")
struct DifferentLevelTests {
  /// The last lines of the failure to receive, instead of others, an intent in a street.
  private func lines(
    instead intent: any Intent, _ receive: nonisolated(nonsending) (TestStore<Street>) async -> Void
  ) async -> String? {
    let messages = await failures {
      let test = TestStore(state: Street(), reducer: street, exhaustivity: .off)
      await test.reply(intent)
      await receive(test)
    }
    .filter { !$0.contains("reached no reducer") }
    #expect(messages.count == 1)
    return messages.first?.split(separator: "\n").dropFirst(2).joined(separator: "\n")
  }

  @Test("another id")
  func ids() async {
    let deep = await lines(instead: inLeft(1, RoomIntent.off)) {
      await $0.receive(RoomIntent.off, in: Side.left, 2)
    }
    #expect(deep == "  The ids differ at level 2 (expected → actual): 2 → 1")
    let outer = await lines(instead: inLeft(1, RoomIntent.off)) {
      await $0.receive(case: RoomIntent.lit, in: Side.right, 2)
    }
    #expect(outer == "  The ids differ at level 1 (expected → actual): Side.right → Side.left")
  }

  @Test("an id of another type")
  func types() async {
    let types = await lines(instead: inLeft(1, RoomIntent.off)) {
      await $0.receive(RoomIntent.off, in: Side.left, UInt(1))
    }
    #expect(types == "  The ids differ at level 2 (expected → actual): UInt 1 → Int 1")
  }

  @Test("an id that is missing, or one too many")
  func counts() async {
    let missing = await lines(instead: inLeft(1, RoomIntent.off)) {
      await $0.receive(RoomIntent.off)
    }
    #expect(
      missing
        == "  The ids differ at level 1 (expected → actual): none → Side.left. Name it by `in:`")
    let more = await lines(instead: ElementIntent(id: Side.left, intent: RoomIntent.off)) {
      await $0.receive(any: RoomIntent.self, in: Side.left, 2)
    }
    #expect(more == "  The ids differ at level 2 (expected → actual): 2 → none")
  }

  @Test("and of equal ids the intent's parts")
  func contents() async {
    let parts = await lines(instead: inLeft(1, RoomIntent.lit(2))) {
      await $0.receive(ElementIntent(id: 1, intent: RoomIntent.lit(3)), in: Side.left)
    }
    #expect(parts == "  Expected → actual:\n    lit: 3 → 2")
    let others = await lines(instead: inLeft(1, RoomIntent.lit(2))) {
      await $0.receive(case: RoomIntent.failed, in: Side.left, 1)
    }
    #expect(others == "")
  }

  @Test("with the expected ids in the message")
  func message() async {
    let messages = await failures {
      let test = TestStore(state: Street(), reducer: street)
      await test.receive(case: RoomIntent.lit, in: Side.left, 2)
    }
    #expect(
      messages.first?.hasPrefix(
        "Expected to receive a RoomIntent of the case after `case:` in Side.left, 2, but no "
          + "intent came.") == true)
  }
}
