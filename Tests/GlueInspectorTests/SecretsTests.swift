import Foundation
import Glue
import GlueJournal
import GlueLogging
import Testing

@testable import GlueInspector

/// Plants a secret wherever a program can have one, and looks for it in all output.
@Suite("A redacted secret") struct SecretsTests {
  private static let word = "hunter2"

  private static let types: [Redaction] = [
    .type(Secret.self), .type(Safe.self), .type(Member.self),
  ]

  private static let kinds: [[Redaction]] = [
    [.path("token")], types, [.value(word)], [.containing(word)],
    [.current { [.containing(word)] }], [.path("token"), .value(word)] + types,
  ]

  @Test("is in no log, page, trace or event, with any redaction that covers it", arguments: kinds)
  func watched(redactions: [Redaction]) async throws {
    let outputs = try await outputs(redacting: redactions)
    for (name, text) in outputs {
      #expect(!text.contains(Self.word), "\(name): \(text)")
      #expect(text.contains("redacted>") == (name != "problems"), "\(name)")
    }
  }

  @Test("would be in each of them, except problems, which name only types")
  func unredacted() async throws {
    for (name, text) in try await outputs(redacting: []) {
      #expect(text.contains(Self.word) == (name != "problems"), "\(name)")
      #expect(!text.isEmpty)
    }
  }

  /// The outputs of a run, by name.
  private func outputs(redacting redactions: [Redaction]) async throws -> [String: String] {
    let (log, problems) = (Lines(), Lines())
    let inspector = Inspector<Account>(redact: redactions)
    let monitor = LogMonitor<Account>(redact: redactions) { log.append($0) }
    let store = Store(
      state: Account(), reducer: account, monitors: [monitor, inspector],
      lasting: { account in
        (account.isOpen ? ["first", "second"] : ["first"]).map {
          Leak(secret: Secret(), name: $0).lasting(id: Secret(name: $0))
        }
      }, report: { problems.append("\($0)") })
    store.on(Leak.self) { leak, dispatch async in
      dispatch(AccountIntent.note(leak.secret, by: leak.name))
    }
    store.dispatch(AccountIntent.open(Account.changed))
    let events = await events(of: inspector, commits: 5)
    let (page, trace) = (TemporaryFile(), TemporaryFile())
    try inspector.writePage(to: page.path)
    try inspector.writeTrace(to: trace.path)
    await store.shutdown()
    return try [
      "log": log.all.joined(separator: "\n"), "page": page.text,
      "trace": trace.text, "events": events.joined(separator: "\n"),
      "problems": problems.all.joined(separator: "\n"),
    ]
  }

  @Test("is not in an export of a journal whose ids are redacted too")
  func exported() async throws {
    let (directory, plain, redacted) = (TemporaryFile(), TemporaryFile(), TemporaryFile())
    let format = JournalFormat(
      of: Box.self, intents: [.named("box", BoxIntent.self)],
      effects: [.atLeastOnce("leak", Leak.self, id: Secret.self)])
    let journal = try Journal(at: directory.path, format)
    let inspector = Inspector<Box>()
    let store = try Store(
      state: Box(), reducer: box, monitors: [inspector],
      lasting: { _ in [Leak(secret: Secret(), name: "poll").lasting(id: Secret())] },
      journal: journal)
    store.on(Leak.self) { leak, dispatch async in
      if leak.name == "poll" { dispatch(BoxIntent.put(leak.secret)) }
    }
    _ = await events(of: inspector, commits: 1)
    try await journal.synced()
    try journal.export(to: plain.path)
    try journal.export(
      to: redacted.path,
      redact: JournalRedaction(
        state: { $0.secret = .hidden }, intent: { _ in BoxIntent.put(.hidden) },
        effect: { _ in Leak(secret: .hidden, name: "sent") },
        id: { id in
          if id is Secret { return Secret.hidden }
          return "hidden"
        }))
    #expect(try plain.text.components(separatedBy: Self.word).count - 1 >= 5)
    #expect(try !redacted.text.contains(Self.word))
    #expect(try redacted.text.contains(#""cause":["lasting","hidden",0]"#))
    #expect(try Recording(at: redacted.path, format).verify(reducer: box) == nil)
    await store.shutdown()
  }

  /// The lines of an inspector up to that of a commit.
  private func events<State>(of inspector: Inspector<State>, commits: Int) async -> [String] {
    var lines: [String] = []
    for await line in inspector.events {
      lines.append(line)
      if line.hasPrefix("{\"number\":\(commits),") { break }
    }
    return lines
  }

  // MARK: - The places of the secret

  @propertyWrapper
  private struct Wrapped<Value: Sendable>: Sendable {
    var wrappedValue: Value
  }

  private struct Secret: Codable, Hashable, Sendable {
    static let hidden = Secret(token: "hidden")
    var token = SecretsTests.word
    var name = ""
  }

  /// Has the secret as texts under their own name, which the compiler changes.
  private struct Safe: Sendable {
    @Wrapped var token = SecretsTests.word
    @Wrapped @Wrapped var deep = Secret()
    var lazy = Lazy()

    struct Lazy: Sendable {
      lazy var token = SecretsTests.word
      mutating func open() { _ = token }
    }
  }

  private struct Member: Identifiable, Sendable {
    var token = SecretsTests.word
    var age = 0
    var id: String { token }
  }

  private struct Account: Sendable {
    var isOpen = false
    var secret = Secret(token: "")
    var maybe: Secret?
    var safe = Safe()
    var members = [Member()]
    var list: [Secret] = []
    var set: Set<Secret> = []
    var values: [String: Secret] = [:]
    var keys: [Secret: Int] = [:]
    var phase = Phase.closed
    var any: any Sendable = 1
    var notes: [Secret] = []

    enum Phase { case closed, open(Secret) }

    /// With the secret in each part that has changed.
    static var changed: Account {
      var account = Account(isOpen: true, secret: Secret(), maybe: Secret())
      account.safe.token = "none"
      account.safe.deep.name = "deep"
      account.safe.lazy.open()
      account.members = [Member(age: 1)]
      account.list = [Secret(), Secret(name: "b")]
      account.set = [Secret()]
      account.values = ["a": Secret()]
      account.keys = [Secret(): 1]
      account.phase = .open(Secret())
      account.any = Secret()
      return account
    }
  }

  private enum AccountIntent: Intent {
    case open(Account)
    case note(Secret, by: String)
  }

  private struct Leak: Effect, Codable, Equatable {
    var secret: Secret
    var name: String
  }

  private func account(state: inout Account, intent: AccountIntent) -> [any Effect] {
    switch intent {
    case .open(let account):
      state = account
      return [
        Leak(secret: Secret(), name: "scheduled").scheduled(.latest, id: Secret(name: "own")),
        Send(AccountIntent.note(Secret(), by: "send")), CancelEffects(id: Secret(name: "first")),
      ]
    case .note(let secret, let name):
      state.notes.append(Secret(token: secret.token, name: name))
      return []
    }
  }

  private struct Box: Codable, Sendable {
    var secret = Secret(token: "")
  }

  private enum BoxIntent: Intent, Codable { case put(Secret) }

  private func box(state: inout Box, intent: BoxIntent) -> [any Effect] {
    guard case .put(let secret) = intent else { return [] }
    state.secret = secret
    return [Leak(secret: secret, name: "sent").scheduled(.latest, id: secret)]
  }
}
