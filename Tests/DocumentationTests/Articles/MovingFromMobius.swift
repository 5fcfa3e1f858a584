import Glue
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Moving from Mobius.swift")
struct MovingFromMobius {
  struct Login: Sendable, Equatable {
    var name = ""
    var isWaiting = false
    var token: String?
  }
  enum LoginIntent: Intent { case named(String), submit, accepted(token: String) }
  struct SignIn: Effect, Equatable { var name: String }

  func login(state: inout Login, intent: LoginIntent) -> [any Effect] {
    switch intent {
    case .named(let name): state.name = name  // .next(model)
    case .submit where state.isWaiting: break  // .noChange
    case .submit:  // .next(model, effects:)
      state.isWaiting = true
      return [SignIn(name: state.name)]
    case .accepted(let token):
      state.isWaiting = false
      state.token = token
    }
    return []
  }

  private struct Server: Sendable {
    func token(for name: String) async -> String { "\(name)'s token" }
  }

  @Test("signing in")
  func example() async {
    let server = Server()

    let store = Store(state: Login(), reducer: login)
    store.on(SignIn.self) { effect, dispatch async in
      dispatch(LoginIntent.accepted(token: await server.token(for: effect.name)))
    }
    store.dispatch(LoginIntent.named("Ada"))
    await store.perform(LoginIntent.submit)

    #expect(store.state == Login(name: "Ada", token: "Ada's token"))
  }

  @Test func submittingSignsIn() {
    expect(
      login, from: Login(name: "Ada"), when: .submit, effects: [SignIn(name: "Ada")]
    ) { $0.isWaiting = true }
  }

  @Test("after a shutdown intents still reduce")
  func disposal() async {
    let store = Store(state: Login(), reducer: login)
    await store.shutdown()
    store.dispatch(LoginIntent.named("Ada"))
    #expect(store.state.name == "Ada")
  }
}
