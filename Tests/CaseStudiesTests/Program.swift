import Foundation
import GlueConsole
import GlueTesting
import ProcessSupport
import Synchronization
import Testing

@testable import CaseStudies

@Suite("The gallery")
struct GalleryTests {
  @Test("a letter opens a study, which then gets the keys, until Esc returns to the list")
  func opening() {
    expect(
      gallery, from: Gallery(), when: .press(.text("a")), effects: [GalleryEffect.show("counter")]
    ) { $0.open = "counter" }
    expect(
      gallery, from: Gallery(open: "counter"), when: .press(.text("a")),
      effects: [GalleryEffect.press(.text("a"))])
    expect(
      gallery, from: Gallery(open: "counter"), when: .press(.escape),
      effects: [GalleryEffect.show(nil)]
    ) { $0.open = nil }
    expect(gallery, from: Gallery(), when: .press(.text("z")))
    for key in [Key.escape, .control("C"), .control("D")] {
      expect(gallery, from: Gallery(), when: .press(key), effects: [GalleryEffect.quit])
    }
  }

  @Test("names are unique, and fit into the list")
  func names() {
    #expect(Set(studies.map(\.name)).count == studies.count)
    #expect(studies.allSatisfy { $0.name.count < 18 } && studies.count < letters.count)
  }

  @Test("a study shows its state at once and after each key that means something")
  func study() {
    let shown = Mutex<[[String]]>([])
    let open = counterStudy.open { lines in shown.withLock { $0.append(lines) } }
    #expect(open.press(.text("+")))
    #expect(!open.press(.up))
    #expect(shown.withLock { $0 } == [["0"], ["1"]])
  }
}

extension ProcessTests {
  @Suite("The case studies as a program") struct CaseStudiesProgramTests {
    private let program = builtProgram("CaseStudies")

    private func run(_ arguments: String..., input: String = "") throws -> PipedProgram.Result {
      try PipedProgram(program, arguments).finish(input: Data(input.utf8))
    }

    @Test("through a pipe, lists the studies, and explains itself")
    func listing() throws {
      let lines = list.joined(separator: "\n") + "\n"
      #expect(try run() == .init(output: lines))
      #expect(try run("--help") == .init(output: help + "\n" + lines))
    }

    @Test("refuses what is no study", arguments: [["counters"], ["counter", "search"]])
    func refusing(arguments: [String]) throws {
      let result = try PipedProgram(program, arguments).finish()
      #expect(result.ending == .exit(64) && result.output == "")
      let name = arguments.joined(separator: " ")
      #expect(result.errors.hasPrefix("CaseStudies: no study \"\(name)\"\na  counter"))
    }

    @Test("through a pipe, prints each state as a line, and ends with the input")
    func lines() throws {
      #expect(try run("counter", input: "+\n+\n-") == .init(output: "0\n1\n2\n1\n"))
      #expect(
        try run("two-counters", input: "+\nx\ns\n")
          == .init(
            output: """
              left 0 | right 0 | steps: 0
              left 1 | right 0 | steps: 1
              left 0 | right 1 | steps: 1

              """,
            errors: """
              CaseStudies: line 2: "x" is no key; + -: left   p m: right   s: swap

              """, ending: .exit(1)))
    }

    @Test("each study runs and ends, for any input", arguments: studies.map(\.name))
    func each(name: String) throws {
      let result = try run(name, input: "a\n1\n\n+\ns\n")
      #expect(!result.output.isEmpty && [.exit(0), .exit(1)].contains(result.ending))
    }

    @Test("on a terminal, a letter opens a study, Esc returns, and Ctrl-C ends in order")
    func terminal() throws {
      let session = try JobSession(program)
      let terminal = session.terminal
      try terminal.read(until: "Esc: quit")
      terminal.type("a++")
      try terminal.read(until: "counter: what every feature is made of")
      try terminal.read(until: "  2")
      terminal.type("\u{1B}")
      try terminal.read(until: "Case studies")
      terminal.type("\u{3}")
      try session.expectRestored(status: 0)
    }
  }
}
