import Foundation
import Glue
import GlueConsole
import GlueTesting
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

private enum NoteIntent: Intent { case typed(String), save }
private struct NoteEffect: Effect { var line: String }

private func note(state: inout [String], intent: NoteIntent) -> [any Effect] {
  switch intent {
  case .typed(let line):
    state.append(line)
    return []
  case .save:
    return [NoteEffect(line: "saved \(state.joined(separator: " "))")]
  }
}

@Suite("Comments of the console")
struct ConsoleComments {
  @Test("a program's surroundings")
  func program() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let pipe = Pipe()
      dup2(pipe.fileHandleForReading.fileDescriptor, STDIN_FILENO)
      pipe.fileHandleForWriting.write(Data("a\nb\n".utf8))
      try pipe.fileHandleForWriting.close()
      let store = Store(state: [], reducer: note, clock: TestClock())

      let console = Console()
      store.on(NoteEffect.self) { effect, _ in console.write(effect.line) }
      console.onSignal(SIGHUP) { store.dispatch(NoteIntent.save) }
      console.readLines { store.dispatch(NoteIntent.typed($0)) }
      let end = await console.run(store, last: NoteIntent.save)
      for line in end.left { console.writeError("not ended: \(line)") }
    }
    #expect(String(decoding: result.standardOutputContent, as: UTF8.self).contains("saved a b\n"))
  }

  @Test("lines with numbers, and a status")
  func linesAndStatus() async {
    await #expect(processExitsWith: .success) {
      let pipe = Pipe()
      dup2(pipe.fileHandleForReading.fileDescriptor, STDIN_FILENO)
      try pipe.fileHandleForWriting.close()
      let console = Console()
      console.readLines { line, number in
        if line.isEmpty { console.writeError("line \(number): nothing to note") }
      }
      console.status("3 of 7 files")
      await console.run(Store(state: [], reducer: note))
    }
  }

  @Test("keys of no terminal")
  func withoutTerminal() async {
    await #expect(processExitsWith: .success) {
      dup2(open("/dev/null", O_RDONLY), STDIN_FILENO)
      func press(_ key: Key) {}
      func readInput() -> [UInt8]? { nil }
      if let modes = KeyModes(), modes.enter() {
        defer { modes.leave() }
        var decoder = KeyDecoder()
        while let bytes = readInput() { decoder.keys(for: bytes).forEach(press) }
      }
    }
  }

  @Test("a reload, without a service manager here")
  func reloading() async {
    await #expect(processExitsWith: .success) {
      unsetenv("NOTIFY_SOCKET")
      let store = Store(state: [], reducer: note)
      let console = Console()
      store.on(NoteEffect.self) { _, _ in console.end() }

      console.onSignal(SIGHUP) {
        notifyManager("RELOADING=1")
        store.dispatch(NoteIntent.save)
        notifyManager("READY=1")
      }

      kill(getpid(), SIGHUP)
      await console.run(store)
    }
  }

  @Test("a call that blocks")
  func blockingCall() async throws {
    let path = "/"
    let names = try await runOnOwnThread {
      try FileManager.default.contentsOfDirectory(atPath: path)
    }
    #expect(names.contains("tmp"))
  }
}
