import Glue
import GlueTesting
import Testing

@Suite("An effect that a test forbids")
struct ForbiddingTests {
  private func forbidding() -> TestStore<Search> {
    let test = TestStore(state: Search(), reducer: search, exhaustivity: .off)
    test.forbid(SearchEffect.self)
    return test
  }

  private let message = """
    1 effect has begun that the test forbids:
      SearchEffect.query("a"), by `forbid(SearchEffect.self)`
    """

  @Test("fails the step in which it begins, and no other one")
  func step() async {
    let messages = await failures {
      let test = TestStore(state: Desk(), reducer: desk, exhaustivity: .off)
      test.forbid(Work.self)
      await test.send(DeskIntent.open)
      await test.send(DeskIntent.work)
      await test.send(DeskIntent.note("a"))
      await test.finish()
    }
    #expect(
      messages == ["1 effect has begun that the test forbids:\n  Work(), by `forbid(Work.self)`"])
  }

  @Test("fails the test where it begins later, and at the end")
  func later() async {
    let messages = await failures {
      let test = forbidding()
      await test.send(SearchIntent.typed("a"))
      await test.clock.run()
      await test.finish()
      let other = forbidding()
      await other.send(SearchIntent.typed("a"))
      await other.clock.run()
    }
    #expect(messages == [message, message])
  }

  @Test("fails nothing if it is canceled before it begins")
  func canceled() async {
    let messages = await failures {
      let test = forbidding()
      await test.send(SearchIntent.typed("a"))
      await test.send(SearchIntent.cleared)
      await test.clock.run()
      await test.finish()
    }
    #expect(messages == [])
  }
}
