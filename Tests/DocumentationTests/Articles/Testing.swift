import Glue
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Testing")
struct TestingArticle {
  struct Draft: Sendable, Equatable {
    var text = ""
    var isSaved = true
    var failures = 0
  }

  enum DraftIntent: Intent { case typed(String), saved, failed }

  enum DraftEffect: Effect, Equatable { case save(String) }

  func draft(state: inout Draft, intent: DraftIntent) -> [any Effect] {
    switch intent {
    case .typed(let text):
      state = Draft(text: text, isSaved: false)
      return [DraftEffect.save(text).scheduled(.debounce(.seconds(1)), id: "save")]
    case .saved:
      state.isSaved = true
      return []
    case .failed:
      state.failures += 1
      if state.failures == 3 { return [] }
      return [DraftEffect.save(state.text).scheduled(.delay(.seconds(5)), id: "save")]
    }
  }

  struct Saving: AsyncEffectHandler {
    let save: @Sendable (String) async throws -> Void

    func handle(effect: DraftEffect, dispatch: @escaping DispatchFunc) async {
      switch effect {
      case .save(let text):
        do {
          try await save(text)
          dispatch(DraftIntent.saved)
        } catch {
          dispatch(DraftIntent.failed)
        }
      }
    }
  }

  @Test func aThirdFailureGivesUp() {
    expect(draft, from: Draft(text: "a", isSaved: false, failures: 2), when: .failed) {
      $0.failures = 3
    }
  }

  @Test func typingIsSavedOneSecondLater() {
    var state = Draft()
    let effects = draft(state: &state, intent: .typed("a"))
    #expect(effects == [DraftEffect.save("a").scheduled(.debounce(.seconds(1)), id: "save")])
  }

  @Test func savingIsTriedAgain() async {
    struct Offline: Error {}
    let test = TestStore(state: Draft(), reducer: draft)
    test.add(
      effectHandler: Saving { [clock = test.clock] _ in
        if clock.now.offset < .seconds(3) { throw Offline() }
      })

    await test.send(
      DraftIntent.typed("a"),
      effects: [DraftEffect.save("a").scheduled(.debounce(.seconds(1)), id: "save")]
    ) {
      $0.text = "a"
      $0.isSaved = false
    }
    await test.clock.advance(by: .seconds(1))
    await test.receive(
      DraftIntent.failed,
      effects: [DraftEffect.save("a").scheduled(.delay(.seconds(5)), id: "save")]
    ) { $0.failures = 1 }
    await test.clock.advance(by: .seconds(5))
    await test.receive(DraftIntent.saved) { $0.isSaved = true }
    await test.finish()
  }

  @Test("a forgotten step gives the article's message")
  func message() async throws {
    let article = try text("Sources/GlueTesting/GlueTesting.docc/Testing.md")
    let issues = await recordedIssues {
      struct Offline: Error {}
      let test = TestStore(state: Draft(), reducer: draft, exhaustivity: .off)
      test.add(effectHandler: Saving { _ in throw Offline() })
      await test.send(DraftIntent.typed("a"))
      await test.clock.advance(by: .seconds(1))
      test.exhaustivity = .on
      await test.receive(
        DraftIntent.failed,
        effects: [DraftEffect.save("a").scheduled(.delay(.seconds(5)), id: "save")]
      ) { $0.failures = 1 }
      await test.finish()
    }
    #expect(issues.count == 1)
    #expect(issues[0].comments.contains { article.contains("\n\($0.rawValue)\n```") })
  }

  @Test func oneOfTwoDraftsIsTyped() async {
    let test = TestStore(
      state: [1: Draft(), 2: Draft()], reducer: combineReducers { forEach(\.self, use: draft) },
      exhaustivity: .off)
    test.store.dispatch(ElementIntent(id: 2, intent: DraftIntent.typed("b")))
    await test.receive(case: DraftIntent.typed, in: 2) { drafts, text in drafts[2]?.text = text }
  }

  @Test func aStubReplies() async {
    let test = TestStore(state: Draft(), reducer: draft, exhaustivity: .off)
    test.stub(DraftEffect.self) { _ in [DraftIntent.saved] }
    await test.send(DraftIntent.typed("a")) { $0.text = "a" }
    await test.clock.advance(by: .seconds(1))
    await test.receive(DraftIntent.saved) { $0.isSaved = true }
  }

  func addHandlers(
    to handlers: some TakesHandlers, save: @escaping @Sendable (String) async throws -> Void
  ) {
    handlers.add(effectHandler: Saving(save: save))
  }

  @Test func theHandlersOfTheProgramSave() async {
    let test = TestStore(state: Draft(), reducer: draft, exhaustivity: .off)
    addHandlers(to: test) { _ in }
    await test.send(DraftIntent.typed("a")) { $0.text = "a" }
    await test.clock.advance(by: .seconds(1))
    await test.receive(DraftIntent.saved) { $0.isSaved = true }
  }

  @Test func savingKeepsItsContract() async {
    await checkContract(effects: [DraftEffect.save("a")]) { clock in
      Saving { _ in try await clock.sleep(for: .seconds(1)) }
    }
  }

  @Test func aSaveThatWasInterruptedIsDone() async {
    let test = TestStore(
      state: Draft(text: "a", isSaved: false), reducer: draft, unfinished: [DraftEffect.save("a")])
    test.stub(DraftEffect.self) { _ in [DraftIntent.saved] }
    await test.receive(DraftIntent.saved) { $0.isSaved = true }
    await test.finish()
  }

  @Test func whatIsTypedIsSaved() async {
    await explore(seeds: 50) { clock in
      let store = Store(state: Draft(), reducer: draft, clock: clock)
      store.add(effectHandler: Saving { _ in await Task.yield() })
      async let first: Void = store.perform(DraftIntent.typed("a"))
      async let second: Void = store.perform(DraftIntent.typed("b"))
      await clock.run()
      _ = await (first, second)
      #expect(store.state.isSaved)
    }
  }

  @Test func savingOnTheMainActor() async {
    let test = TestStore(state: Draft(isSaved: false), reducer: draft)
    test.add(effectHandler: Saving { _ in await MainActor.run {} })
    await test.send(
      DraftIntent.failed,
      effects: [DraftEffect.save("").scheduled(.delay(.seconds(5)), id: "save")]
    ) { $0.failures = 1 }
    await test.clock.advance(by: .seconds(5))
    await test.receive(DraftIntent.saved, within: .seconds(10)) { $0.isSaved = true }
    await test.finish(within: .seconds(10))
  }
}

extension TestingArticle.Draft: Codable {}
extension TestingArticle.DraftIntent: Codable {}
