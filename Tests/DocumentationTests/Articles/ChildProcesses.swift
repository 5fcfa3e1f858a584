import Foundation
import Glue
import GlueConsole
import GlueProcesses
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Child processes and files")
struct ChildProcesses {
  struct Workers: Equatable, Sendable { var names: [String] = [] }
  enum WorkerIntent: Intent { case ended(String, ChildProcess.Ending), failed(String, String) }
  struct RunWorker: Effect, Equatable { var name: String }

  func workers(state: Workers) -> [LastingEffect] {
    state.names.map { RunWorker(name: $0).lasting(id: $0) }
  }

  @Test("the state decides which children run; what is left of one is ended first, and all at last")
  func lasting() async throws {
    let (intents, dispatched) = AsyncStream.makeStream(of: WorkerIntent.self)
    let clock = ContinuousClock()
    let program = "/bin/sleep"
    let directory = TemporaryDirectory()
    let folder = directory.path
    let left = try await start(program, lock: "\(folder)/1000000.lock")
    let store = Store(
      state: Workers(names: ["1000000", "nonsense"]),
      reducer: { (_: inout Workers, intent: WorkerIntent) -> [any Effect] in
        dispatched.yield(intent)
        return []
      }, lasting: workers,
      handlers: { handlers in
        handlers.on(RunWorker.self) { worker, dispatch async in
          let file = "\(folder)/\(worker.name)"
          let child = ChildProcess(
            program, [worker.name], output: "\(file).output", lock: "\(file).lock")
          repeat {
            do {
              try await ChildProcess.terminate(lock: "\(file).lock")
              let ending = try await child.run(timeout: .seconds(600), grace: .seconds(3))
              dispatch(WorkerIntent.ended(worker.name, ending))
            } catch {
              dispatch(WorkerIntent.failed(worker.name, "\(error)"))
            }
          } while (try? await clock.sleep(for: .seconds(1))) != nil
        }
      })
    #expect(try await left.value == .signaled(SIGTERM))
    guard case .ended("nonsense", .exited(1)) = await intents.first(where: { _ in true }) else {
      Issue.record("not ended")
      return
    }
    await store.shutdown()
    #expect(try !ChildProcess.isRunning(lock: "\(folder)/1000000.lock"))
    let text = try String(contentsOfFile: "\(folder)/nonsense.output", encoding: .utf8)
    #expect(text.contains("nonsense"))
  }

  /// Starts a child that sleeps, and waits until it has begun.
  private func start(
    _ program: String, lock: String
  ) async throws -> Task<ChildProcess.Ending, any Error> {
    let ready = TemporaryDirectory()
    #expect(mkfifo(ready.path + "/ready", 0o600) == 0)
    let script = #"echo >"$0/ready"; exec "$1" 1000000"#
    let task = Task {
      try await ChildProcess("/bin/sh", ["-c", script, ready.path, program], lock: lock).run()
    }
    _ = try await runOnOwnThread {
      try FileHandle(forReadingFrom: URL(filePath: ready.path + "/ready")).readToEnd()
    }
    return task
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
