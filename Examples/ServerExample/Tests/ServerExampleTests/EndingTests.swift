import Foundation
import Glue
import Synchronization
import Testing

@testable import ServerExample

@Suite(.serialized) struct EndingTests {
  @Test func nothingThatAClientWasToldIsLostWhenTheServerIsKilled() throws {
    let directory = try TemporaryDirectory()
    var told: Set<String> = []
    for round in 1...5 {
      let server = try RunningServer("--journal", directory.path)
      let known = told
      #expect(try server.listener().list { known.isSubset(of: $0.todos.map(\.title)) })
      told.formUnion(add(to: server, inRound: round, killingAfter: 20))
    }
    #expect(told.count >= 100)
    let server = try RunningServer("--journal", directory.path)
    #expect(try server.listener().list { told.isSubset(of: $0.todos.map(\.title)) })
  }

  /// Makes four clients add to-dos, and kills the server meanwhile.
  private func add(
    to server: RunningServer, inRound round: Int, killingAfter count: Int
  ) -> Set<String> {
    let told = Mutex<Set<String>>([])
    DispatchQueue.concurrentPerform(iterations: 4) { client in
      for number in 1...20 {
        let title = "\(round).\(client).\(number)"
        let answer = try? server.answer("/todos", "POST", body: #"{"title": "\#(title)"}"#)
        if answer?.status != 201 { break }
        let all = told.withLock { told in
          told.insert(title)
          return told.count
        }
        if all == count { server.kill(SIGKILL) }
      }
    }
    return told.withLock { $0 }
  }

  @Test func aToDoThatIsDoneLeavesAlsoIfTheServerIsKilledMeanwhile() throws {
    let directory = try TemporaryDirectory()
    let first = try RunningServer("--journal", directory.path)
    try first.edit(try first.add("one"), #"{"isDone": true}"#)
    first.kill(SIGKILL)
    _ = first.end()
    let second = try RunningServer("--journal", directory.path, "--keep-done", "0.5")
    #expect(try second.listener().list { $0.todos.isEmpty })
  }

  @Test func itEndsAlthoughClientsNeitherReadNorFinishAndSaysSo() async throws {
    let directory = try await journal(of: longList(400))
    let server = try RunningServer(
      "--journal", directory.path, "--end-within", "2", "--write-within", "1000")
    let stalled = try server.listener(receiving: 4096)
    try server.rename(10)
    let half = try Client(server.port)
    // The second request arrives with the first, whose answer shows that it has.
    let json = "Content-Type: application/json\r\nContent-Length: 9\r\n"
    half.send(
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
        + "POST /todos HTTP/1.1\r\nHost: localhost\r\n\(json)\r\n{")
    #expect(try half.answer().status == 200)
    let listener = try server.listener()
    server.kill(SIGTERM)
    #expect(try !listener.list { _ in false })  // It has ended.
    let (status, log) = server.end()
    #expect(status == 0)
    for what in ["GET /events", "POST /todos"] {
      #expect(
        log.split(separator: "\n").contains { $0.contains("not ended") && $0.contains(what) },
        "\(log)")
    }
    withExtendedLifetime((stalled, half)) {}
    let next = try RunningServer("--journal", directory.path)
    #expect(try next.listener().list { $0["1"]?.title == "last" })
  }

  @Test func aPortThatIsTakenIsNamed() throws {
    let server = try RunningServer()
    try expectRefusal(
      of: ["--port", "\(server.port)"],
      "Cannot listen on 127.0.0.1:\(server.port): Address already in use.")
  }

  @Test(arguments: [
    (["--host", "0.0.0.0", "--inspect"], "--inspect shows all that happens, so it needs a --host"),
    (["--host", "127.evil.example", "--inspect"], "it needs a --host on loopback"),
    (["--end-within", "0"], "The value '0' is invalid for '--end-within <end-within>'"),
    (["--port", "70000"], "The value '70000' is invalid for '--port <port>'"),
    (["--connections", "999999999"], "--connections is 999999999. Expected 1 to "),
    (["--connections", "0"], "--connections is 0. Expected 1 to "),
    (["--journal", "/nowhere/at/all"], "/nowhere/at/all"),
  ])
  func whatCannotBeServedIsToldAndEndsIt(arguments: [String], words: String) throws {
    try expectRefusal(of: ["--port", "0"] + arguments, words)
  }

  private func expectRefusal(of arguments: [String], _ words: String) throws {
    let program = Process()
    let pipe = Pipe()
    program.executableURL = RunningServer.program
    program.arguments = arguments
    program.standardError = pipe
    try program.run()
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    program.waitUntilExit()
    #expect(program.terminationStatus != 0)
    #expect(text.contains(words), "\(text)")
  }
}
