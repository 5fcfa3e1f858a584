// Two-factor login: a password, then perhaps a code, from a server that takes its time.
//
// Each step is a feature, and the login is an enum of them. A step asks the server and keeps its
// refusal; the login follows the replies that lead to another step. Going back cancels a check
// that runs, so its late reply can't sign in a user that has left.

import Glue
import GlueConsole

struct Password: Equatable, Sendable {
  var name = ""

  /// Nil while the name is typed.
  var password: String?
  var isChecking = false
  var failure: String?
}

enum PasswordIntent: Intent, Equatable {
  case type(String), enter
  case accepted, needsCode, refused(String)
}

func password(state: inout Password, intent: PasswordIntent) -> [any Effect] {
  switch (intent, state.password) {
  case (.type(let text), nil): state.name += text
  case (.type(let text), let password?): state.password = password + text
  case (.enter, nil): state.password = state.name.isEmpty ? nil : ""
  case (.enter, let password?):
    (state.isChecking, state.failure) = (true, nil)
    return [
      LoginEffect.check(name: state.name, password: password).scheduled(.leading, id: "check")
    ]
  case (.refused(let reason), _):
    state = Password(name: state.name, password: "", failure: reason)
  case (.accepted, _), (.needsCode, _): break  // the login's
  }
  return []
}

struct Code: Equatable, Sendable {
  let name: String
  var digits = ""
  var failure: String?
}

enum CodeIntent: Intent, Equatable { case type(String), accepted, refused(String), back }

func code(state: inout Code, intent: CodeIntent) -> [any Effect] {
  switch intent {
  case .type(let text):
    state.digits += text
    guard state.digits.count == 4 else { return [] }
    return [
      LoginEffect.verify(name: state.name, code: state.digits).scheduled(.leading, id: "verify")
    ]
  case .refused(let reason): state = Code(name: state.name, failure: reason)
  case .back: return [CancelEffects(id: "verify")]  // and the login's
  case .accepted: break  // the login's
  }
  return []
}

enum Login: Equatable, Sendable {
  case password(Password), code(Code), done(name: String)

  var password: Password? {
    get { if case .password(let password) = self { password } else { nil } }
    set { if let newValue { self = .password(newValue) } }
  }

  var code: Code? {
    get { if case .code(let code) = self { code } else { nil } }
    set { if let newValue { self = .code(newValue) } }
  }
}

func leavingPassword(state: inout Login, intent: PasswordIntent) -> [any Effect] {
  guard let name = state.password?.name else { return [] }
  if intent == .accepted { state = .done(name: name) }
  if intent == .needsCode { state = .code(Code(name: name)) }
  return []
}

func leavingCode(state: inout Login, intent: CodeIntent) -> [any Effect] {
  guard let name = state.code?.name else { return [] }
  if intent == .accepted { state = .done(name: name) }
  if intent == .back { state = .password(Password(name: name)) }
  return []
}

let loginFeature: Reducer<Login> = combineReducers {
  withKey(\.password, use: password)
  withKey(\.code, use: code)
  leavingPassword
  leavingCode
}

enum LoginEffect: Effect, Equatable {
  case check(name: String, password: String), verify(name: String, code: String)
}

/// A server that takes a second.
///
/// The password is "glue"; names with an "a" need a code, 1234.
struct LoginServer: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: LoginEffect, dispatch: @escaping DispatchFunc) async {
    try? await clock.sleep(for: .seconds(1))
    switch effect {
    case .check(_, let password) where password != "glue":
      dispatch(PasswordIntent.refused("Wrong password"))
    case .check(let name, _):
      dispatch(name.lowercased().contains("a") ? PasswordIntent.needsCode : .accepted)
    case .verify(_, let code):
      dispatch(code == "1234" ? CodeIntent.accepted : .refused("Wrong code"))
    }
  }
}

let loginStudy = Study(
  "two-factor-login", "a password, then perhaps a code",
  keys: "type a name, Enter; glue, Enter; for a name with an A, 1234   Backspace: back",
  store: {
    Store(
      state: Login.password(Password()), reducer: loginFeature,
      handlers: { handlers in
        handlers.add(effectHandler: LoginServer(clock: ContinuousClock()))
      })
  },
  draw: { state in
    switch state {
    case .password(let form):
      let password = form.password.map { String(repeating: "*", count: $0.count) }
      return ["Name: \(form.name)"] + (password.map { ["Password: \($0)"] } ?? [])
        + [form.isChecking ? "checking …" : form.failure ?? ""]
    case .code(let form): return ["Code: \(form.digits)", form.failure ?? ""]
    case .done(let name): return ["Welcome, \(name)"]
    }
  },
  press: { key, state in
    switch (key, state) {
    case (.text(let text), .password): PasswordIntent.type(text)
    case (.enter, .password): PasswordIntent.enter
    case (.text(let text), .code): CodeIntent.type(text)
    case (.backspace, .code): CodeIntent.back
    default: nil
    }
  })
