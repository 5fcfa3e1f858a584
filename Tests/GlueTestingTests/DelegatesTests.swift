import Glue
import GlueTesting
import Testing

@Suite("An intent for a parent that isn't there")
struct DelegatesTests {
  private struct Login: Sendable, Equatable { var isAsking = false }
  private enum LoginIntent: Intent { case ask }
  private enum SessionIntent: Intent { case expired }
  private struct Other: Intent {}
  private struct Ask: Effect, Equatable {}

  @Sendable private static func login(state: inout Login, intent: LoginIntent) -> [any Effect] {
    state.isAsking = true
    return [Ask()]
  }

  private func asking(_ test: TestStore<Login>, delegates: Bool, _ reply: any Intent) async {
    if delegates { test.delegate(SessionIntent.self) }
    test.stub(Ask.self) { _ in [reply] }
    await test.send(LoginIntent.ask, effects: [Ask()]) { $0.isAsking = true }
  }

  @Test("is received, and fails nothing")
  func received() async {
    let messages = await failures {
      for test in [
        TestStore(state: Login(), reducer: Self.login),
        TestStore(state: Login(), reducer: combineReducers { Self.login }),
      ] {
        await asking(test, delegates: true, SessionIntent.expired)
        await test.receive(SessionIntent.expired)
        await test.finish()
      }
    }
    #expect(messages == [])
  }

  @Test("fails the test if it isn't received, or changes something")
  func asserted() async {
    let messages = await failures {
      let test = TestStore(state: Login(), reducer: Self.login)
      await asking(test, delegates: true, SessionIntent.expired)
      await test.receive(SessionIntent.expired) { $0.isAsking = false }
      let other = TestStore(state: Login(), reducer: Self.login)
      await asking(other, delegates: true, SessionIntent.expired)
      await other.finish()
    }
    #expect(messages.count == 2)
  }

  @Test("fails the test once, if it is sent and its type is not named")
  func sent() async {
    let messages = await failures {
      await TestStore(state: Login(), reducer: Self.login).send(SessionIntent.expired)
    }
    #expect(messages.count == 1)
    #expect(messages.first?.contains("`test.delegate(SessionIntent.self)`") == true)
    #expect(messages.first?.contains("reached no reducer") == false)
  }

  @Test("fails the test if its type is not named")
  func undeclared() async {
    let messages = await failures {
      let test = TestStore(state: Login(), reducer: Self.login)
      await asking(test, delegates: false, SessionIntent.expired)
      await test.receive(SessionIntent.expired)
      let other = TestStore(state: Login(), reducer: Self.login)
      await asking(other, delegates: true, Other())
      await other.receive(any: Other.self)
    }
    #expect(messages.contains { $0.contains("`test.delegate(SessionIntent.self)`") })
    #expect(messages.contains { $0.contains("`test.delegate(Other.self)`") })
    let reports = messages.filter { $0.contains("reached no reducer") }
    #expect(messages.count == 2 + reports.count)
    #if DEBUG
      #expect(reports.count == 2)
    #endif
  }
}
