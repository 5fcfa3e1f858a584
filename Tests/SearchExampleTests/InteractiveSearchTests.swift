import Foundation
import ProcessSupport
import Testing

@testable import SearchExample

extension ProcessTests {
  /// The program in a pseudo-terminal, in the foreground of a shell as users have it.
  @Suite struct InteractiveSearchTests {
    private static let enter = FullScreen.enter
    private static let leave = FullScreen.leave
    private static let finished = "[####################]"

    private let tree: TemporaryTree

    init() throws {
      tree = try TemporaryTree(["a": "one\na needle\n", "b": "no"])
    }

    /// A session whose program shows that it is ready.
    private func session(editor: String = "", _ settings: String = "") throws -> JobSession {
      let session = try JobSession(
        searchExample, start: "\(settings) EDITOR='\(editor)' run '\(tree.path)'",
        farewell: Self.leave)
      try session.terminal.read(until: "Ctrl-C: quit")
      return session
    }

    @Test("the matches while typing are those of grep")
    func whatIsFoundAs() throws {
      let tree = try nastyTree()
      let terminal = try PseudoTerminal(running: searchExample, [tree.path])
      terminal.resize(rows: 400, columns: 300)
      try terminal.read(until: "\u{1B}[400;1H")
      terminal.type("needle")
      var transcript = try terminal.read(until: Self.finished) + Self.finished
      terminal.type("\u{3}")
      transcript += try terminal.read(until: Self.leave)
      let shown = Picture(of: transcript).rows.filter { 3..<400 ~= $0.key && !$0.value.isEmpty }
      let expected = try grep("needle", in: tree.path).filter(isShownAsGrepPrints).map {
        safeText($0.utf8)
      }.sorted()
      let found = shown.values.filter(isShownAsGrepPrints).map(asGrepPrints).sorted()
      #expect(found.count == expected.count && found.count > 200)
      #expect(zip(found, expected).first { $0 != $1 } ?? ("", "") == ("", ""))
    }

    /// The row of a match, without the space before its text.
    private func asGrepPrints(_ row: String) -> String {
      row.replacing(#/(:\d+:) /#, maxReplacements: 1) { String($0.1) }
    }

    /// Whether a line is neither too long for the screen nor one of two that grep makes of a name.
    private func isShownAsGrepPrints(_ line: String) -> Bool {
      !line.contains("xxx") && !line.contains("with newline") && !line.hasSuffix("/name")
    }

    @Test("Ctrl-C quits with the terminal restored, while it searches too")
    func ctrlCQuitsWith()
      throws
    {
      let session = try session()
      session.terminal.type("e\u{3}")
      try session.expectRestored(status: 0)
    }

    @Test("a program that was killed leaves the terminal to the next one, which restores it")
    func aProgramThatWas() throws {
      let session = try session()
      let left = session.terminal.modes
      kill(session.process, SIGKILL)
      try session.expect(status: 128 + SIGKILL)
      session.terminal.modes = left  // Some shells have restored them.
      session.run("run '\(tree.path)'")
      try session.terminal.read(until: "Ctrl-C: quit")
      session.terminal.type("\u{3}")
      try session.expectRestored(status: 0)
    }

    @Test("Ctrl-Z stops it with the terminal restored, and fg continues it")
    func ctrlZStopsIt() throws {
      let session = try session()
      session.terminal.type("needle")
      try session.terminal.read(until: Self.finished)
      session.terminal.type("\u{1A}")
      try session.expectRestored(status: 128 + SIGTSTP)
      session.run("fg")
      try session.terminal.read(until: Self.enter)
      try session.terminal.read(until: "a \u{1B}[0m\u{1B}[7;1;31mneedle")
      #expect(session.terminal.modes != session.modes)
      session.terminal.type("\u{3}")
      try session.expectRestored(status: 0)
    }

    @Test("Enter gives the terminal to the editor and takes it back")
    func enterGivesTheTerminal()
      throws
    {
      let session = try session(editor: "stty -a; echo opened")
      session.terminal.type("needle")
      try session.terminal.read(until: Self.finished)
      session.terminal.type("\r")
      try session.terminal.read(until: Self.leave)
      #expect(try session.terminal.read(until: "opened").contains(" icanon"))
      try session.terminal.read(until: " +2 \(tree.path)/a\r\n")
      try session.terminal.read(until: Self.enter)
      try session.terminal.read(until: "Ctrl-C: quit")
      #expect(session.terminal.modes != session.modes)
      session.terminal.type("\u{3}")
      try session.expectRestored(status: 0)
    }

    @Test("interrupting the editor does not end the program")
    func anEditorThatIs()
      throws
    {
      let session = try session(
        editor: "trap \"echo interrupted; exit\" INT; echo ready; read x; echo")
      session.terminal.type("needle")
      try session.terminal.read(until: Self.finished)
      session.terminal.type("\r")
      try session.terminal.read(until: "ready")
      session.terminal.type("\u{3}")
      try session.terminal.read(until: "interrupted")
      try session.terminal.read(until: Self.enter)
      session.terminal.type("\u{3}")
      try session.expectRestored(status: 0)
    }

    @Test("an editor that stops makes the program stop and continue with it")
    func anEditorThatStops()
      throws
    {
      let session = try session(editor: "kill -TSTP $$; echo continued")
      session.terminal.type("needle")
      try session.terminal.read(until: Self.finished)
      session.terminal.type("\r")
      try session.expect(status: 128 + SIGTSTP)
      session.run("fg")
      try session.terminal.read(until: "continued")
      try session.terminal.read(until: Self.enter)
      session.terminal.type("\u{3}")
      try session.expectRestored(status: 0)
    }

    @Test("a failed editor is reported")
    func anEditorThatFails() throws {
      let session = try session(editor: "false")
      session.terminal.type("needle")
      try session.terminal.read(until: Self.finished)
      session.terminal.type("\r")
      try session.terminal.read(until: #""false" ended with status 1."#)
    }

    @Test("each new size redraws everything")
    func anotherSizeHasAll() throws {
      let session = try session()
      session.terminal.resize(rows: 7, columns: 20)
      try session.terminal.read(until: "\u{1B}[7;1H\u{1B}[K\u{1B}[2mUp/Down: select   En\u{1B}[0m")
      session.terminal.resize(rows: 2, columns: 20)
      try session.terminal.read(until: "\u{1B}[2J")
      let small = try session.terminal.read(until: "\u{1B}[1;9H")
      #expect(small.contains("\u{1B}[2;1H\u{1B}[K\u{1B}[2mType what to search "))
      #expect(!small.contains("\u{1B}[3;1H"))
    }

    @Test("a signal that ends it ends the editor, and waits for no more")
    func aSignalThatEnds()
      throws
    {
      let session = try session(
        editor: "trap \"echo ended; exit\" TERM; echo ready; read x; echo")
      session.terminal.type("needle\r")
      try session.terminal.read(until: "ready")
      kill(session.process, SIGTERM)
      try session.terminal.read(until: "ended")
      try session.expectRestored(status: 128 + SIGTERM)
    }

    @Test("and it ends what the editor has started")
    func soItEndsWhat() throws {
      let session = try session(
        editor: "sh -c \"trap \\\"echo ended; exit\\\" TERM; echo ready; read x; echo\"; :")
      session.terminal.type("needle\r")
      try session.terminal.read(until: "ready")
      kill(session.process, SIGTERM)
      try session.terminal.read(until: "ended")
    }

    @Test("without colors, matches are still marked")
    func withoutColorsWhatMatches()
      throws
    {
      let session = try session("NO_COLOR=1")
      session.terminal.type("needle")
      try session.terminal.read(until: "1 match\u{1B}")
      let row = try session.terminal.read(until: "\u{1B}[7;1mneedle\u{1B}[0m")
      #expect(!row.contains("35m") && !row.contains("32m"))
    }

    @Test("with --inspect it writes a page when it ends")
    func withInspectItWrites() throws {
      let page = "\(tree.path)/run.html"
      let session = try JobSession(
        searchExample, start: "run --inspect '\(page)' '\(tree.path)'", farewell: Self.leave)
      try session.terminal.read(until: "Ctrl-C: quit")
      session.terminal.type("needle")
      try session.terminal.read(until: Self.finished)
      session.terminal.type("\u{3}")
      try session.expectRestored(status: 0)
      let text = try String(contentsOfFile: page, encoding: .utf8)
      #expect(text.contains(#""intent":"SearchIntent.finish("#))
      #expect(text.contains(#"/a\", line: 2, text: \"a needle\")"#))
    }

    @Test("a page that cannot be written is an error")
    func aPageThatCannot() throws {
      let session = try JobSession(
        searchExample, start: "run --inspect '\(tree.path)/none/run.html' '\(tree.path)'",
        farewell: Self.leave)
      try session.terminal.read(until: "Ctrl-C: quit")
      session.terminal.type("\u{3}")
      let shown = try session.expect(status: 2)
      #expect(shown.contains("cannot write \(tree.path)/none/run.html: No such file or directory"))
    }

    @Test("a dumb terminal is not drawn on")
    func aDumbTerminalIs() throws {
      let session = try JobSession(searchExample, start: "TERM=dumb run")
      let shown = try session.expect(status: 2)
      #expect(shown.contains("without a terminal to draw on") && !shown.contains("\u{1B}"))
    }

    @Test(
      "a path that isn't a directory is an error, and the screen stays as it is",
      arguments: ["none", "a"])
    func whatIsNoDirectory(name: String) throws {
      let session = try JobSession(searchExample, start: "run '\(tree.path)/\(name)'")
      let shown = try session.expect(status: 2)
      #expect(shown.contains("cannot search \(tree.path)/\(name): ") && !shown.contains("\u{1B}"))
    }
  }
}
