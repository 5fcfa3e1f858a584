import Foundation
import ProcessSupport
import Testing

@testable import GlueProcesses

extension ProcessTests {
  @Suite("A command is found by its lock, and ended")
  struct OrphanTests {
    private let playground: Playground
    private let clock = HandClock()

    init() throws { playground = try Playground() }

    private var isRunning: Bool { get throws { try ChildProcess.isRunning(lock: playground.lock) } }

    /// Starts a script by a program that is killed once the script has written a line.
    private func orphan(_ script: String) async throws -> Witness {
      let child = playground.shell(script)
      let victim = try PipedProgram(
        builtProgram("ProcessVictim"), [playground.lock, child.command] + child.arguments)
      let witness = try await playground.line()
      kill(victim.process, SIGKILL)
      #expect(try victim.result().ending == .signal(SIGKILL))
      return witness
    }

    @Test("the lock is free before, between and after two runs")
    func free() async throws {
      for _ in 0..<2 {
        #expect(try !isRunning)
        let child = playground.shell("cat <hold & exit 2", lock: true)
        #expect(try await child.run() == .exited(2))
      }
      #expect(try !isRunning)
      #expect(try await !ChildProcess.terminate(lock: playground.lock))
    }

    @Test("a second one isn't started while the first one runs")
    func second() async throws {
      let first = Task { [playground] in
        try await playground.shell("exec >alive; echo ready; cat <hold", lock: true).run(
          grace: never)
      }
      _ = try await playground.line()
      #expect(try isRunning)
      let error = await #expect(throws: ChildProcessError.self) {
        try await playground.shell("true", lock: true).run()
      }
      #expect(error?.kind == .running)
      #expect(
        error?.description.hasPrefix(
          "/bin/sh: not started, because an earlier command still holds \(playground.lock)") == true
      )
      first.cancel()
      await #expect(throws: CancellationError.self) { try await first.value }
      #expect(try await playground.shell("true", lock: true).run() == .exited(0))
    }

    @Test("after a kill of the program that started it")
    func killed() async throws {
      let witness = try await orphan("exec >alive; echo ready; cat <hold; echo late")
      #expect(try isRunning)
      #expect(try await ChildProcess.terminate(lock: playground.lock, grace: never))
      #expect(try !isRunning)
      #expect(try await witness.rest() == "")
    }

    @Test("although it ignores SIGTERM")
    func ignoring() async throws {
      let witness = try await orphan("trap '' TERM; exec >alive; echo ready; cat <hold & cat <hold")
      async let wasRunning = ChildProcess.terminate(
        lock: playground.lock, grace: .seconds(5), clock: clock)
      let grace = try await clock.sleep()
      #expect(grace.duration == .seconds(5))
      #expect(try isRunning)
      grace.finish()
      #expect(try await wasRunning)
      #expect(try await witness.rest() == "")
    }

    @Test("although the command itself has ended, and what it started runs")
    func grandchild() async throws {
      let witness = try await orphan("exec >alive; cat <hold & echo $$; exec cat <hold")
      kill(try #require(pid_t(witness.line)), SIGKILL)
      #expect(try isRunning)
      #expect(try await ChildProcess.terminate(lock: playground.lock, grace: never))
      #expect(try await witness.rest() == "")
    }

    @Test("although a part of it left the group: run ends it at once, terminate by SIGTERM")
    func escaped() async throws {
      let escape = "exec >alive; setsid sh -c 'echo ready; exec cat <hold' & "
      let witness = try await orphan(escape + "cat <hold")
      #expect(try await ChildProcess.terminate(lock: playground.lock, grace: never))
      #expect(try await witness.rest() == "")

      #expect(mkfifo(playground.path + "/gate", 0o600) == 0)
      async let ending = playground.shell(escape + "read x <gate", lock: true).run()
      let second = try await playground.line()
      let gate = open(playground.path + "/gate", O_WRONLY | O_CLOEXEC)
      #expect(write(gate, "\n", 1) == 1)
      close(gate)
      #expect(try await ending == .exited(0))
      #expect(try await second.rest() == "")
      #expect(try !isRunning)
    }

    @Test("although it goes from session to session while it is looked for")
    func fleeing() async throws {
      // Once the command has exited, and its status was taken, 900 steps follow at once, and 1,000 that
      // take longer, because this program may be late on a busy machine.
      let step = #"""
        if [ $1 = 100 ]; then echo >alive; while kill -0 $2; do :; done; fi
        if [ $1 -gt 1000 ]; then sleep 0.1; fi
        if [ $1 = 2000 ]; then echo >output; else setsid sh ./step $(($1 + 1)) $2 & wait; fi
        """#
      try Data(step.utf8).write(to: URL(filePath: playground.path + "/step"))
      let script = "setsid sh ./step 1 $$ & read line <alive"
      #expect(try await playground.shell(script, lock: true).run() == .exited(0))
      #expect(try !isRunning)
      #expect(!FileManager.default.fileExists(atPath: playground.output))
    }

    @Test("and a command that is started next is left alone")
    func next() async throws {
      for _ in 0..<50 {
        let witness = try await orphan(
          "trap '' TERM; exec >alive; echo ready; cat <hold & cat <hold")
        #expect(try await ChildProcess.terminate(lock: playground.lock, grace: .zero))
        let ending = try await playground.shell("sh -c 'exit 3'; exit $?", lock: true).run()
        #expect(ending == .exited(3))
        #expect(try await witness.rest() == "")
      }
    }

    @Test("a program that is about to start a command, or only looks, is neither found nor ended")
    func notInherited() async throws {
      let held = try CommandLock(path: playground.lock).take(for: "/bin/true")
      defer { close(held) }
      let copy = fcntl(held, F_DUPFD_CLOEXEC, CommandLock.descriptor)
      defer { close(copy) }
      #expect(copy == CommandLock.descriptor)
      #expect(try isRunning)
      // By a program in another group, which would end this one.
      let other = ChildProcess(
        builtProgram("ProcessVictim"), [playground.lock], output: playground.output)
      #expect(try await other.run() == .exited(0))
      #expect(try playground.text().hasPrefix("\(playground.lock): held by a process that this"))
    }
  }
}
