import Foundation
import ProcessSupport
import Testing

@testable import GlueProcesses

extension ProcessTests {
  @Suite("A command in a group of its own")
  struct ChildProcessTests {
    private let playground: Playground
    private let clock = HandClock()

    init() throws { playground = try Playground() }

    @Test("run returns its status or its signal")
    func endings() async throws {
      #expect(try await ChildProcess("/bin/true").run() == .exited(0))
      #expect(try await playground.shell("exit 3").run() == .exited(3))
      #expect(try await playground.shell("kill -USR1 $$").run() == .signaled(SIGUSR1))
    }

    @Test("output and errors are appended to a file, which is for its owner alone")
    func output() async throws {
      for _ in 0..<2 {
        let child = playground.shell("echo out; echo error >&2", output: true)
        #expect(try await child.run() == .exited(0))
      }
      #expect(try playground.text() == "out\nerror\nout\nerror\n")
      let attributes = try FileManager.default.attributesOfItem(atPath: playground.output)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test("without a file, the output is the program's")
    func inheritedOutput() throws {
      let victim = try PipedProgram(
        builtProgram("ProcessVictim"), ["", "/bin/sh", "-c", "echo out; echo error >&2"])
      #expect(
        try victim.finish() == PipedProgram.Result(output: "out\nexited(0)\n", errors: "error\n"))
    }

    @Test("the environment is the program's, or another")
    func environment() async throws {
      let own = ChildProcess("/usr/bin/env", environment: ["A": "1=2"], output: playground.output)
      #expect(try await own.run() == .exited(0))
      #expect(try playground.text() == "A=1=2\n")
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      #expect(try await playground.shell(#"[ "$PATH" = '\#(path)' ]"#).run() == .exited(0))
    }

    @Test(
      "it leads its group, with no signal blocked or ignored, although the starting thread blocks all"
    )
    func signals() async throws {
      let child = ChildProcess(
        "/bin/cat", ["/proc/self/stat", "/proc/self/status"], output: playground.output)
      let before = signal(SIGUSR1, SIG_IGN)
      defer { signal(SIGUSR1, before) }
      let running = try await onOwnThread { () throws(ChildProcessError) in
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
        return try RunningCommand(child)
      }
      #expect(try await running.ending() == .exited(0))
      let text = try playground.text()
      let fields = text.split(separator: " ")
      #expect(fields[0] == fields[4] && fields[0] != "\(getpgrp())")
      for name in ["SigBlk", "SigIgn"] {
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("\(name):\t") })
        let signals = try #require(UInt64(line.dropFirst(8), radix: 16))
        #expect(signals & 0x7FFF_FFFF == 0, "\(line)")  // The C library's own follow.
      }
    }

    @Test("it inherits no other descriptors", arguments: [true, false])
    func descriptors(hasLock: Bool) async throws {
      let inheritable = [dup(STDERR_FILENO), fcntl(STDERR_FILENO, F_DUPFD, 200)]
      defer { for descriptor in inheritable { close(descriptor) } }
      let child = ChildProcess(
        "/bin/ls", ["/proc/self/fd"], output: playground.output,
        lock: hasLock ? playground.lock : nil)
      #expect(try await child.run() == .exited(0))
      // The last one is the directory that ls reads.
      #expect(try playground.text() == (hasLock ? "0\n1\n100\n2\n3\n" : "0\n1\n2\n3\n"))
    }

    @Test("it reads the end of its input")
    func input() async throws {
      #expect(try await ChildProcess("/bin/cat").run() == .exited(0))
    }

    @Test("the timeout ends it by SIGTERM, which it may obey")
    func timeout() async throws {
      let child = playground.shell("trap 'exit 0' TERM; echo ready >alive; cat <hold & wait")
      async let ending = child.run(timeout: .seconds(600), grace: .seconds(5), clock: clock)
      let timeout = try await clock.sleep()
      #expect(timeout.duration == .seconds(600))
      _ = try await playground.line()
      timeout.finish()
      #expect(try await ending == .timedOut)
    }

    @Test("SIGKILL follows after the grace, and also ends what it started")
    func grace() async throws {
      let script = "trap '' TERM; exec >alive; (echo ready; exec cat <hold) & cat <hold; wait"
      async let ending = playground.shell(script).run(
        timeout: .seconds(600), grace: .seconds(5), clock: clock)
      let timeout = try await clock.sleep()
      let witness = try await playground.line()
      timeout.finish()
      let grace = try await clock.sleep()
      #expect(grace.duration == .seconds(5))
      grace.finish()
      #expect(try await ending == .timedOut)
      #expect(try await witness.rest() == "")
    }

    @Test("a command that ends in time isn't timed out")
    func inTime() async throws {
      let child = playground.shell("exit 3")
      #expect(try await child.run(timeout: never) == .exited(3))
    }

    @Test("the timeout ends a stopped command")
    func stopped() async throws {
      let child = playground.shell("trap 'exit 0' TERM; echo $$ >alive; cat <hold & wait")
      async let ending = child.run(timeout: .seconds(1), grace: never, clock: clock)
      let timeout = try await clock.sleep()
      let id = try #require(pid_t(try await playground.line().line))
      var information = siginfo_t()
      kill(id, SIGSTOP)
      #expect(waitid(P_PID, id_t(id), &information, WSTOPPED | WNOWAIT) == 0)
      timeout.finish()
      #expect(try await ending == .timedOut)
    }

    @Test(
      "canceling the task ends the group in the same way, and then throws",
      arguments: [true, false])
    func cancellation(obeys: Bool) async throws {
      let script = (obeys ? "" : "trap '' TERM; ") + "exec >alive; echo ready; cat <hold"
      let task = Task { [playground, clock] in
        try await playground.shell(script).run(grace: .seconds(5), clock: clock)
      }
      let witness = try await playground.line()
      task.cancel()
      if !obeys { try await clock.sleep().finish() }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await witness.rest() == "")
    }

    @Test("a task that is canceled already starts nothing")
    func canceledBefore() async throws {
      let task = Task { [playground] in
        withUnsafeCurrentTask { $0?.cancel() }
        return try await playground.shell("true", output: true).run()
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(!FileManager.default.fileExists(atPath: playground.output))
    }

    @Test("what it leaves in its group ends with it, and no zombie is left")
    func leftovers() async throws {
      let script = "echo $$; (trap '' TERM; exec >alive; echo ready; exec cat <hold) & read x <gate"
      #expect(mkfifo(playground.path + "/gate", 0o600) == 0)
      async let ending = playground.shell(script, output: true).run()
      let witness = try await playground.line()
      let gate = open(playground.path + "/gate", O_WRONLY | O_CLOEXEC)
      #expect(write(gate, "\n", 1) == 1)
      close(gate)
      #expect(try await ending == .exited(0))
      #expect(try await witness.rest() == "")
      let id = try #require(pid_t(try playground.text().dropLast()))
      #expect(kill(id, 0) == -1 && errno == ESRCH)
    }

    // Not beside others: a file can't be executed while a process that is being started has it open.
    @Test(
      "an error says what a script lacks: its interpreter, or its first line",
      arguments: [true, false])
    func script(hasInterpreter: Bool) async throws {
      let path = playground.path + "/script"
      try Data((hasInterpreter ? "#!/nowhere/sh\n" : "words\n").utf8).write(to: URL(filePath: path))
      #expect(chmod(path, 0o700) == 0)
      let error = await #expect(throws: ChildProcessError.self) {
        try await ChildProcess(path).run()
      }
      #expect(error?.kind == .notExecutable)
      let expected =
        hasInterpreter ? "\(path): the interpreter" : "\(path): not executable (Exec format"
      #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "")")
    }

    @Test("a program that takes the status of all children stops with a message")
    func takenStatus() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        signal(SIGCHLD, SIG_IGN)
        _ = try await ChildProcess("/bin/true").run()
      }
      let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(errors.contains("the status of /bin/true was taken by another part of the program"))
    }
  }
}
