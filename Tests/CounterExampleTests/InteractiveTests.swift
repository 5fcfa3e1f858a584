import Foundation
import ProcessSupport
import Testing

extension ProcessTests {
  /// The program in a pseudo-terminal, in the foreground of a shell as users have it.
  @Suite struct InteractiveTests {
    private let session: JobSession
    private var terminal: PseudoTerminal { session.terminal }

    init() throws {
      session = try JobSession(counterExample)
      try terminal.read(until: "Counter: 0")
    }

    @Test(
      "a signal ends it with the terminal restored", arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func aSignalEndsIt(signal: Int32) throws {
      #expect(terminal.modes != session.modes)
      kill(session.process, signal)
      try session.expectRestored(status: 128 + signal)
    }

    @Test(
      "q, Ctrl-C and Ctrl-D quit with the terminal restored", arguments: ["q", "\u{3}", "\u{4}"])
    func qCtrlCAnd(key: String) throws {
      #expect(terminal.modes != session.modes)
      terminal.type(key)
      try session.expectRestored(status: 0)
    }

    @Test("the line is redrawn in place, cleared first and never wrapped")
    func theLineIsRedrawn()
      throws
    {
      terminal.type("+-")
      try terminal.read(until: "\r\u{1B}[K\u{1B}[?7lCounter: 1\u{1B}[?7h")
      let between = try terminal.read(until: "\r\u{1B}[K\u{1B}[?7lCounter: 0\u{1B}[?7h")
      #expect(between.isEmpty)
    }

    @Test("Ctrl-backslash ends it as SIGQUIT does")
    func ctrlBackslashEndsIt() throws {
      terminal.type("\u{1C}")
      try session.expectRestored(status: 128 + SIGQUIT)
    }

    @Test("Ctrl-Z stops it with the terminal restored, and fg continues it")
    func ctrlZStopsIt() throws {
      terminal.type("+")
      try terminal.read(until: "Counter: 1")
      terminal.type("\u{1A}")
      try session.expectRestored(status: 128 + SIGTSTP)
      session.run("fg")
      try terminal.read(until: "Counter: 1")
      #expect(terminal.modes != session.modes)
      terminal.type("+")
      try terminal.read(until: "Counter: 2")
      terminal.type("q")
      try session.expectRestored(status: 0)
    }

    @Test("it can be stopped again and again")
    func itCanBeStopped() throws {
      for _ in 1...3 {
        kill(session.process, SIGTSTP)
        try session.expectRestored(status: 128 + SIGTSTP)
        session.run("fg")
        try terminal.read(until: "Counter: 0")
      }
    }

    @Test("it continues after a stop that it can't notice")
    func aStopThatIt() throws {
      kill(session.process, SIGSTOP)
      try session.expect(status: 128 + SIGSTOP)
      terminal.modes = session.modes
      session.run("fg")
      try terminal.read(until: "Counter: 0")
      terminal.type("+")
      try terminal.read(until: "Counter: 1")
      terminal.type("q")
      try session.expectRestored(status: 0)
    }

    @Test("a new size redraws the line")
    func anotherSizeHasThe() throws {
      terminal.type("+")
      try terminal.read(until: "Counter: 1")
      terminal.resize(rows: 10, columns: 20)
      try terminal.read(until: "\r\u{1B}[K\u{1B}[?7lCounter: 1")
    }

    @Test("keys of both modes count")
    func keysOfBothKinds() throws {
      terminal.type("+k\u{1B}[A\u{1B}OA")
      try terminal.read(until: "Counter: 4")
      terminal.type("-j\u{1B}[B\u{1B}OB")
      try terminal.read(until: "Counter: 0")
    }

    @Test("other keys, and a terminal's reports, change nothing")
    func otherKeysAndWhat()
      throws
    {
      terminal.type("x\u{1B}[15~\u{1B}[1;5A\u{13}\u{1B}\r é\u{1B}P+kq\u{1B}\\\u{1B}[<0;3;4M+")
      #expect(try !terminal.read(until: "Counter: 1").contains("Counter"))
    }

    @Test("the line is redrawn in place, and the bell follows its count")
    func theLineIsRedrawnIn() throws {
      terminal.type("+++++k")
      let redrawn = try terminal.read(until: "Counter: 6")
      #expect(!redrawn.contains("\n"))
      #expect(redrawn.filter { $0 == "\u{7}" }.count == 1)
      let bell = try #require(redrawn.range(of: "\u{7}"))
      #expect(redrawn[..<bell.lowerBound].contains("Counter: 5"))
    }

    @Test("a decrement stops at 0")
    func aDecrementStopsAt() throws {
      terminal.type("--j+-")
      try terminal.read(until: "Counter: 1")
      try terminal.read(until: "Counter: 0")
    }
  }
}
