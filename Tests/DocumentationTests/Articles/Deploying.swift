import Foundation
import Glue
import GlueConsole
import GlueJournal
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Deploying a daemon", .serialized)
struct Deploying {
  struct Notes: Codable, Sendable, Equatable {
    var lines: [String] = []
    var sent = 0
  }
  enum NoteIntent: Intent, Codable { case add(String), sent }
  struct Mail: Effect, Codable { var line: String }

  static func notes(state: inout Notes, intent: NoteIntent) -> [Mail] {
    switch intent {
    case .add(let line):
      state.lines.append(line)
      return [Mail(line: line)]
    case .sent:
      state.sent += 1
      return []
    }
  }

  private let format = JournalFormat(
    of: Notes.self, intents: [.named("note", NoteIntent.self)],
    effects: [.atLeastOnce("mail", Mail.self)])
  private let folder = TemporaryDirectory()

  @Test("a service notifies its manager when its journal is open, reloads, and ends in order")
  func service() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let folder = TemporaryDirectory()
      setenv("STATE_DIRECTORY", folder.path, 1)
      setenv("NOTIFY_SOCKET", folder.path + "/notify", 1)
      let (format, notes) = (Deploying().format, Deploying.notes)
      @Sendable func deliver(_ mail: Mail, _ dispatch: DispatchFunc) async {
        dispatch(NoteIntent.sent)
      }
      // The manager: it reloads the service, and then stops it.
      let manager = listen(at: folder.path + "/notify")
      Thread.detachNewThread {
        precondition(receive(from: manager) == "READY=1")
        precondition(FileManager.default.fileExists(atPath: folder.path + "/journal/lock"))
        kill(getpid(), SIGHUP)
        precondition(receive(from: manager).hasPrefix("RELOADING=1\n"))
        precondition(receive(from: manager) == "READY=1")
        kill(getpid(), SIGTERM)
      }

      let console = Console()
      let directory = ProcessInfo.processInfo.environment["STATE_DIRECTORY"] ?? "."
      let journal = try Journal(
        at: directory + "/journal", format, waiting: .seconds(10), report: console.writeError)
      let store = try Store(
        state: Notes(), reducer: notes, delivery: .queue(DispatchQueue(label: "notes")),
        journal: journal,
        handlers: { handlers in
          handlers.on(Mail.self) { mail, dispatch async in await deliver(mail, dispatch) }
        })

      console.onSignal(SIGHUP) {
        notifyManager("RELOADING=1")
        store.dispatch(NoteIntent.add("reloaded"))
        notifyManager("READY=1")
      }

      let end = await console.run(store)
      for line in end.left { console.writeError("not ended: \(line)") }

      precondition(store.state.lines == ["reloaded"] && end.left == [], "\(end)")
      precondition(receive(from: manager) == "STOPPING=1")
      try FileManager.default.removeItem(atPath: folder.path)
      end.exit()
    }
  }

  @Test("an export of a running journal is taken apart into one that opens")
  func backup() async throws {
    let journal = try Journal(
      at: folder.path + "/running", format, snapshots: .every(3), keeping: 2)
    let (began, beginning) = AsyncStream.makeStream(of: String.self)
    let store = try Store(
      state: Notes(), reducer: Self.notes, journal: journal,
      handlers: { handlers in
        handlers.on(Mail.self) { mail, dispatch async in
          beginning.yield(mail.line)
          if mail.line == "never" {
            try? await Task.sleep(for: .seconds(1_000_000))
          } else {
            dispatch(NoteIntent.sent)
          }
        }
      })
    for number in 1...9 { await store.perform(NoteIntent.add("\(number)")) }
    store.dispatch(NoteIntent.add("never"))
    _ = await began.first { $0 == "never" }
    try await journal.synced()
    let state = store.state
    try journal.export(to: folder.path + "/notes-2026-11-26")

    let article = try text("Sources/GlueJournal/GlueJournal.docc/Deploying.md")
    let script = try #require(
      article.components(separatedBy: "```").first { $0.contains("awk -v into=journal") }
    ).replacing("/var/lib/notes", with: folder.path).replacing("/backup", with: folder.path)
    let shell = Process()
    shell.executableURL = URL(filePath: "/bin/sh")
    let lines = script.split(separator: "\n")
    shell.arguments = ["-ec", lines.dropFirst().dropLast().joined(separator: "\n")]
    try shell.run()
    shell.waitUntilExit()
    try #require(shell.terminationStatus == 0)

    let (left, leaving) = AsyncStream.makeStream(of: String.self)
    let restored = try Journal(at: folder.path + "/journal", format, onDivergence: .refuse)
    let again = try Store(
      state: Notes(), reducer: Self.notes, journal: restored,
      handlers: { handlers in handlers.on(Mail.self) { mail, _ in leaving.yield(mail.line) } })
    #expect(again.state == state)
    #expect(await left.first { _ in true } == "never")
    await again.shutdown()
    await store.shutdown()
  }
}

/// A socket that stands for a service manager's.
private func listen(at path: String) -> Int32 {
  let manager = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let size = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
  withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      precondition(bind(manager, address, size) == 0)
    }
  }
  return manager
}

/// The next datagram.
private func receive(from manager: Int32) -> String {
  var bytes = [UInt8](repeating: 0, count: 200)
  let count = recv(manager, &bytes, bytes.count, 0)
  return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}
