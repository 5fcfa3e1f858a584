import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The two-factor login")
struct TwoFactorLoginTests {
  private func makeTest(_ state: Login) -> TestStore<Login> {
    let test = TestStore(state: state, reducer: loginFeature)
    test.add(effectHandler: LoginServer(clock: test.clock))
    return test
  }

  private func check(_ name: String, _ password: String) -> ScheduledEffect {
    LoginEffect.check(name: name, password: password).scheduled(.leading, id: "check")
  }

  private func verify(_ code: String) -> ScheduledEffect {
    LoginEffect.verify(name: "Ann", code: code).scheduled(.leading, id: "verify")
  }

  @Test("a form wants a name before a password")
  func form() {
    expect(password, from: Password(), when: .enter)
    expect(password, from: Password(), when: .type("Bo"), .enter, .type("x")) {
      $0 = Password(name: "Bo", password: "x")
    }
  }

  @Test("a wrong password is typed again, and a right one suffices for some")
  func oneFactor() async {
    let test = makeTest(.password(Password(name: "Bo", password: "x")))
    await test.send(PasswordIntent.enter, effects: [check("Bo", "x")]) {
      $0.password?.isChecking = true
    }
    await test.clock.advance(by: .seconds(1))
    await test.receive(PasswordIntent.refused("Wrong password")) {
      $0 = .password(Password(name: "Bo", password: "", failure: "Wrong password"))
    }
    await test.send(PasswordIntent.type("glue")) { $0.password?.password = "glue" }
    await test.send(PasswordIntent.enter, effects: [check("Bo", "glue")]) {
      $0.password?.isChecking = true
      $0.password?.failure = nil
    }
    await test.clock.advance(by: .seconds(1))
    await test.receive(PasswordIntent.accepted) { $0 = .done(name: "Bo") }
    await test.finish()
  }

  @Test("a name with a second factor needs the code")
  func twoFactors() async {
    let test = makeTest(.password(Password(name: "Ann", password: "glue", isChecking: false)))
    await test.send(PasswordIntent.enter, effects: [check("Ann", "glue")]) {
      $0.password?.isChecking = true
    }
    await test.clock.advance(by: .seconds(1))
    await test.receive(PasswordIntent.needsCode) { $0 = .code(Code(name: "Ann")) }
    await test.send(CodeIntent.type("9999"), effects: [verify("9999")]) { $0.code?.digits = "9999" }
    await test.clock.advance(by: .seconds(1))
    await test.receive(CodeIntent.refused("Wrong code")) {
      $0 = .code(Code(name: "Ann", failure: "Wrong code"))
    }
    await test.send(CodeIntent.type("1234"), effects: [verify("1234")]) { $0.code?.digits = "1234" }
    await test.clock.advance(by: .seconds(1))
    await test.receive(CodeIntent.accepted) { $0 = .done(name: "Ann") }
    await test.finish()
  }

  @Test("going back ends the check of a code")
  func back() async {
    let test = makeTest(.code(Code(name: "Ann", digits: "123")))
    await test.send(CodeIntent.type("4"), effects: [verify("1234")]) { $0.code?.digits = "1234" }
    await test.send(CodeIntent.back, effects: [CancelEffects(id: "verify")]) {
      $0 = .password(Password(name: "Ann"))
    }
    await test.clock.advance(by: .seconds(1))
    await test.finish()
  }
}
