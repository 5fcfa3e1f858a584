import Glue
import GlueLogging
import Testing

/// Texts that replace values.
@Suite struct RedactionTests {
  private struct Password: Equatable, Sendable {
    var raw = "hunter2"
  }

  private struct User: Sendable {
    var name = "Ada"
    var password: Password?
    var token = "abc"
    var headers: [String: String] = [:]
  }

  private enum UserIntent: Intent {
    case logIn(name: String, password: Password)
    case set(token: String)
    case send(headers: [String: String])
  }

  private static func reduce(user: inout User, intent: UserIntent) -> [any Effect] {
    switch intent {
    case .logIn(let name, let password):
      user.name = name
      user.password = password
    case .set(let token): user.token = token
    case .send(let headers): user.headers = headers
    }
    return []
  }

  /// A monitor's entries for some intents.
  private func log(
    _ intents: [UserIntent], redact: [Redaction],
    describe: (@Sendable (Any, String) -> String?)? = nil
  ) -> [String] {
    let entries = Transcript<String>()
    let store = Store(
      state: User(), reducer: Self.reduce,
      monitors: [LogMonitor<User>(redact: redact, describe: describe) { entries.write($0) }])
    for intent in intents { store.dispatch(intent) }
    return entries.lines
  }

  @Test("a type is redacted in intents and states, wherever it is")
  func types() {
    let lines = log(
      [
        .logIn(name: "Bob", password: Password()),
        .logIn(name: "Bob", password: Password(raw: "x")),
      ],
      redact: [.type(Password.self)])
    #expect(
      lines == [
        """
        #1 UserIntent.logIn(name: "Bob", password: <redacted>)
          name: "Ada" → "Bob"
          password: nil → <redacted>
        """,
        """
        #2 UserIntent.logIn(name: "Bob", password: <redacted>)
          password: <redacted> (no visible difference)
        """,
      ])
  }

  @Test("the end of a path is enough, and what is inside is redacted with it")
  func paths() {
    let redact: [Redaction] = [.path("set.token"), .path("token"), .path("headers.key")]
    #expect(
      log(
        [.set(token: "secret"), .send(headers: ["key": "secret", "lang": "en"])], redact: redact)
        == [
          """
          #1 UserIntent.set(token: <redacted>)
            token: <redacted> (no visible difference)
          """,
          """
          #2 UserIntent.send(headers: ["key": <redacted>, "lang": "en"])
            headers["key"]: added <redacted>
            headers["lang"]: added "en"
          """,
        ])
    struct Box { var user = User() }
    var box = Box()
    box.user.token = "secret"
    let rewording = rewording(redact: [.path("box.user")], describe: nil)
    #expect(
      stateDiff(["box": Box()], ["box": box], rewording: rewording).lines
        == [#"["box"].user: <redacted> (no visible difference)"#])
    #expect(
      shortDescription(of: ["box": box], limit: 100, rewording: rewording)
        == #"["box": Box(user: <redacted>)]"#)
  }

  @propertyWrapper
  private struct Wrapped<Value: Sendable>: Sendable {
    var wrappedValue: Value
  }

  @Test("a property with a wrapper, and a lazy one, goes by its own name")
  func storages() {
    struct Session {
      @Wrapped var token = "a"
      @Wrapped var user = User()
      lazy var key = "a"
      var other = 1
    }
    var old = Session()
    _ = old.key
    var new = old
    (new.token, new.user.token, new.user.name, new.key) = ("secret", "secret", "Bob", "secret")
    let rewording = rewording(
      redact: [.path("session.token"), .path("user.token"), .path("key")], describe: nil)
    #expect(
      stateDiff(["session": old], ["session": new], rewording: rewording).lines == [
        #"["session"]._token: <redacted> (no visible difference)"#,
        #"["session"]._user.wrappedValue.name: "Ada" → "Bob""#,
        #"["session"]._user.wrappedValue.token: <redacted> (no visible difference)"#,
        #"["session"].$__lazy_storage_$_key: <redacted> (no visible difference)"#,
      ])
    let deep = GlueDescribing.rewording(redact: [.path("session.user.token")], describe: nil)
    #expect(
      stateDiff(["session": old], ["session": new], rewording: deep).lines
        .contains(#"["session"]._user.wrappedValue.token: <redacted> (no visible difference)"#))
    let others = GlueDescribing.rewording(
      redact: [.path("token.name"), .path("wrapper.user")], describe: nil)
    #expect(
      shortDescription(of: Session(), limit: 200, rewording: others)
        == shortDescription(of: Session(), limit: 200))
  }

  @Test("an id is redacted with its element, and with the property that it is")
  func elementIDs() {
    struct Member: Identifiable {
      var email: String
      var age = 0
      var id: String { email }
    }
    let (old, new) = ([Member(email: "a@b.c")], [Member(email: "a@b.c", age: 1)])
    func lines(_ redaction: Redaction) -> [String] {
      stateDiff(old, new, rewording: rewording(redact: [redaction], describe: nil)).lines
    }
    #expect(lines(.path("email")) == ["[id: <redacted>].age: 0 → 1"])
    #expect(lines(.path("id")) == ["[id: <redacted>].age: 0 → 1"])
    #expect(lines(.path("age")) == [#"[id: "a@b.c"].age: <redacted> (no visible difference)"#])
    #expect(
      lines(.type(Member.self)) == ["[id: <redacted>]: <redacted> (no visible difference)"])
  }

  @Test("no path, or one of dots alone, redacts nothing")
  func emptyPath() {
    #expect(
      log([.set(token: "a")], redact: [.path(""), .path(".")])
        == ["#1 UserIntent.set(token: \"a\")\n  token: \"abc\" → \"a\""])
  }

  @Test("a value is redacted wherever it is, as a key too")
  func values() {
    #expect(
      log([.set(token: "hunter2"), .send(headers: ["hunter2": "1"])], redact: [.value("hunter2")])
        == [
          """
          #1 UserIntent.set(token: <redacted>)
            token: "abc" → <redacted>
          """,
          """
          #2 UserIntent.send(headers: [<redacted>: "1"])
            headers[<redacted>]: added "1"
          """,
        ])
  }

  private struct Refusal: CustomStringConvertible, Hashable, Sendable {
    var reason: String
    var description: String { "refused: \(reason)" }
  }

  @Test("each text that contains a secret is redacted, also if it is cut or describes a value")
  func texts() {
    struct Call {
      var url = "/login?key=hunter2&x=1"
      var parts = ["hunter", "2", String(repeating: "-", count: 1_000) + "hunter2\u{301}"]
      var refusals = [Refusal(reason: "key hunter2"), Refusal(reason: "late")]
      var key = AnyHashable("hunter2")
      var slice = "a hunter2".dropFirst(2)
      var note = "described"
    }
    let rewording = rewording(redact: [.containing("hunter2"), .containing("")]) { value, _ in
      value as? String == "described" ? "by hunter2" : nil
    }
    #expect(
      shortDescription(of: Call(), limit: 500, rewording: rewording)
        == """
        Call(url: <redacted>, parts: ["hunter", "2", <redacted>], refusals: [<redacted>, \
        refused: late], key: <redacted>, slice: <redacted>, note: <redacted>)
        """)
    #expect(
      log(
        [.set(token: "Bearer hunter2"), .send(headers: ["hunter2=": "1"])],
        redact: [.containing("hunter2")])
        == [
          """
          #1 UserIntent.set(token: <redacted>)
            token: "abc" → <redacted>
          """,
          """
          #2 UserIntent.send(headers: [<redacted>: "1"])
            headers[<redacted>]: added "1"
          """,
        ])
  }

  @Test("a list of redactions is asked for each entry")
  func currentRedactions() {
    let (secrets, entries) = (Transcript<String>(), Transcript<String>())
    let redaction = Redaction.current { secrets.lines.map(Redaction.containing) }
    let store = Store(
      state: User(), reducer: Self.reduce,
      monitors: [LogMonitor<User>(redact: [redaction]) { entries.write($0) }])
    store.dispatch(UserIntent.set(token: "a: swordfish"))
    secrets.write("swordfish")
    store.dispatch(UserIntent.set(token: "b: swordfish"))
    #expect(
      entries.lines == [
        "#1 UserIntent.set(token: \"a: swordfish\")\n  token: \"abc\" → \"a: swordfish\"",
        "#2 UserIntent.set(token: <redacted>)\n  token: <redacted> (no visible difference)",
      ])
  }

  @Test("a function says what is shown of a value or a path; redactions come first")
  func describing() {
    let lines = log(
      [.logIn(name: "Bob", password: Password()), .set(token: "new\nline")],
      redact: [.type(Password.self)]
    ) { value, path in
      if value is Password { return "never shown" }
      return path.hasSuffix("token") ? "\n\((value as? String ?? "").count) characters" : nil
    }
    #expect(lines[0].hasSuffix("password: nil → <redacted>"))
    #expect(
      lines[1] == #"""
        #2 UserIntent.set(token: \n8 characters)
          token: \n3 characters → \n8 characters
        """#)
  }

  @Test("a part that is redacted is not looked into, and none of it is shown")
  func insides() {
    struct Safe: Equatable, CustomReflectable {
      var customMirror: Mirror {
        Issue.record("looked into")
        return Mirror(self, children: [])
      }
      var code = 1
    }
    let rewording = rewording(redact: [.type(Safe.self)], describe: nil)
    #expect(
      stateDiff([1: Safe()], [1: Safe(code: 2)], rewording: rewording).lines
        == ["[1]: <redacted> (no visible difference)"])
  }
}
