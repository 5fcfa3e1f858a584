import Foundation
import ProcessSupport
import Testing

extension ProcessTests {
  /// The program when its terminal is taken away, or belongs to other programs.
  @Suite struct LostTerminalTests {
    @Test("a hang-up ends it")
    func aHangUpEnds() throws {
      let terminal = try PseudoTerminal(running: counterExample)
      try terminal.read(until: "Counter: 0")
      #expect(terminal.hangUp() == .signal(SIGHUP))
    }

    @Test("a terminal that ends without a signal hangs up too")
    func aTerminalThatEnds() throws {
      let terminal = try PseudoTerminal(running: counterExample, isControlling: false)
      try terminal.read(until: "Counter: 0")
      #expect(terminal.hangUp() == .signal(SIGHUP))
    }

    @Test("a terminal that takes no output delays no signal")
    func aTerminalThatTakes()
      throws
    {
      let terminal = try PseudoTerminal(running: counterExample)
      try terminal.read(until: "Counter: 0")
      terminal.type(String(repeating: "+", count: 4_000))
      #expect(terminal.end(by: SIGTERM) == .signal(SIGTERM))
    }

    @Test("a program without a shell ignores Ctrl-Z, because nothing could continue it")
    func aProgramWithoutA() throws {
      let terminal = try PseudoTerminal(running: counterExample)
      try terminal.read(until: "Counter: 0")
      terminal.type("\u{1A}")
      try terminal.read(until: "Counter: 0")
      terminal.type("+")
      try terminal.read(until: "Counter: 1")
    }

    @Test("started in the background, it waits, and adopts no modes from there")
    func startedInTheBackground() throws {
      let session = try JobSession(counterExample, start: "stty -icanon; run & wait $!")
      try session.expect(status: 128 + SIGTTOU)
      session.run("stty icanon; fg")
      try session.terminal.read(until: "Counter: 0")
      session.terminal.type("q")
      try session.expectRestored(status: 0)
    }

    @Test("a program that was killed leaves the terminal to the next one, which restores it")
    func aProgramThatWas() throws {
      let session = try JobSession(counterExample)
      try session.terminal.read(until: "Counter: 0")
      let left = session.terminal.modes
      kill(session.process, SIGKILL)
      try session.expect(status: 128 + SIGKILL)
      session.terminal.modes = left  // Some shells have restored them.
      session.run("run")
      try session.terminal.read(until: "Counter: 0")
      session.terminal.type("q")
      try session.expectRestored(status: 0)
    }

    @Test("other raw modes are another program's choice, and are put back")
    func otherRawModes() throws {
      let session = try JobSession(counterExample, start: "stty -icanon -echo; run")
      try session.terminal.read(until: "Counter: 0")
      session.terminal.type("q")
      try session.expect(status: 0)
      #expect(session.terminal.modes != session.modes)
      session.run("stty icanon echo; echo cooked")
      try session.terminal.read(until: "cooked\r\n")
      #expect(session.terminal.modes == session.modes)
    }

    @Test("the shell can end it while it is stopped")
    func stoppedItCanBe() throws {
      let session = try stoppedSession()
      session.run("kill %1; bg; wait %1")
      try session.expectRestored(status: 128 + SIGTERM)
    }

    @Test("in the background, it leaves the terminal alone, and can be ended")
    func inTheBackgroundIt() throws {
      let session = try stoppedSession()
      session.run("bg; wait %1")
      try session.expect(status: 128 + SIGTTOU)
      #expect(session.terminal.modes == session.modes)
      session.run("kill %1; bg; wait %1")
      try session.expectRestored(status: 128 + SIGTERM)
    }

    private func stoppedSession() throws -> JobSession {
      let session = try JobSession(counterExample)
      try session.terminal.read(until: "Counter: 0")
      session.terminal.type("\u{1A}")
      try session.expectRestored(status: 128 + SIGTSTP)
      return session
    }
  }
}
