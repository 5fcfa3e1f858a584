import Foundation
import Glue
import GlueConsole
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Child processes and files")
struct ChildProcesses {
  func runChild(_ program: String, _ arguments: [String]) async throws -> Int32 {
    let child = Process()
    child.executableURL = URL(filePath: program)
    child.arguments = arguments
    child.standardInput = Pipe()
    try await runOnOwnThread {
      var none = sigset_t()
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, nil)
      try child.run()
    }
    return await withTaskCancellationHandler {
      await runOnOwnThread {
        child.waitUntilExit()
        return child.terminationStatus
      }
    } onCancel: {
      child.terminate()
    }
  }

  @Test("a child's exit status, and a program that isn't there")
  func status() async throws {
    #expect(try await runChild("/bin/sh", ["-c", "exit 3"]) == 3)
    await #expect(throws: (any Error).self) { try await runChild("/nowhere/nothing", []) }
  }

  @Test("a canceled child is terminated, even if that was so before it started")
  func canceled() async throws {
    let running = Task { try await runChild("/bin/cat", []) }
    running.cancel()
    #expect(try await running.value == SIGTERM)
  }

  @Test("a child reads the end of its input, although its siblings run")
  func lifeline() async throws {
    let (first, second) = (Process(), Process())
    let (firstInput, secondInput) = (Pipe(), Pipe())
    for (child, input) in [(first, firstInput), (second, secondInput)] {
      child.executableURL = URL(filePath: "/bin/cat")
      child.standardInput = input
      try child.run()
    }
    try firstInput.fileHandleForWriting.close()
    await runOnOwnThread { first.waitUntilExit() }
    #expect(second.isRunning)
    try secondInput.fileHandleForWriting.close()
    await runOnOwnThread { second.waitUntilExit() }
  }

  struct Workers: Equatable, Sendable { var names: [String] = [] }
  enum WorkerIntent: Intent { case exited(String, Int32), failed(String, String) }
  struct RunWorker: Effect, Equatable { var name: String }

  func workers(state: Workers) -> [LastingEffect] {
    state.names.map { RunWorker(name: $0).lasting(id: $0) }
  }

  @Test("the state decides which children run, and a shutdown ends them")
  func lasting() async throws {
    let (exits, exited) = AsyncStream.makeStream(of: Int32.self)
    let clock = ContinuousClock()
    let program = "/bin/cat"
    let store = Store(
      state: Workers(names: ["-", "--nonsense"]),
      reducer: { (_: inout Workers, intent: WorkerIntent) -> [any Effect] in
        if case .exited(_, let status) = intent { exited.yield(status) }
        return []
      }, lasting: workers,
      handlers: { handlers in
        handlers.on(RunWorker.self) { worker, dispatch async in
          repeat {
            do {
              dispatch(WorkerIntent.exited(worker.name, try await runChild(program, [worker.name])))
            } catch {
              dispatch(WorkerIntent.failed(worker.name, "\(error)"))
            }
          } while (try? await clock.sleep(for: .seconds(1))) != nil
        }
      })
    #expect(await exits.first { _ in true } == 1)
    await store.shutdown()
  }

  struct SaveText: Effect, Equatable { var text: String }
  enum TextIntent: Intent, Equatable { case save(String), saved(String), failed(String) }

  @Test("a file is replaced, or the failure is kept", arguments: [true, false])
  func saving(isPossible: Bool) async throws {
    let directory = TemporaryDirectory()
    let file = URL(filePath: directory.path + (isPossible ? "/text" : "/missing/text"))
    let store = Store(
      state: TextIntent?.none,
      reducer: { (last: inout TextIntent?, intent: TextIntent) -> [any Effect] in
        last = intent
        guard case .save(let text) = intent else { return [] }
        return [SaveText(text: text).scheduled(.restarting, id: "save")]
      })

    store.on(SaveText.self) { save, dispatch async in
      do {
        try await runOnOwnThread {
          try Data(save.text.utf8).write(to: file, options: .atomic)
        }
        dispatch(TextIntent.saved(save.text))
      } catch {
        dispatch(TextIntent.failed("\(error)"))
      }
    }

    await store.perform(TextIntent.save("new"))
    if isPossible {
      #expect(store.state == .saved("new"))
      #expect(try String(contentsOf: file, encoding: .utf8) == "new")
    } else if case .failed = store.state {
    } else {
      Issue.record("saved: \(String(describing: store.state))")
    }
  }
}
