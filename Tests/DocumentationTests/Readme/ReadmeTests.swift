import Foundation
import Testing

@Suite("The README's code is compiled and run")
struct ReadmeTests {
  private let readme: String
  private let program: String

  init() throws {
    readme = try text("README.md")
    program = try text("Tests/ReadmeProgram/main.swift")
  }

  @Test("the counter is the one that is run and killed, and the test is one that runs")
  func examplesAreTheSame() throws {
    let examples = blocks(ofMarkdown: readme)
    #expect(examples.count == 2)
    #expect(examples.first.map { $0 + "\n" } == program)
    let compiled = try text("Tests/DocumentationTests/Readme/Examples.swift")
    #expect(paragraphs(of: Array(examples.dropFirst()), missingIn: compiled) == [])
  }

  @Test("the changed lines make of the counter the one that continues after a kill")
  func changesAreTheSame() throws {
    let shown = blocks("diff", ofMarkdown: readme).joined(separator: "\n").lines
    let survivor = try text("Tests/SurvivingProgram/main.swift")
    let difference = survivor.lines.difference(from: program.lines).map { change in
      switch change {
      case .remove(_, let line, _): "-" + line
      case .insert(_, let line, _): "+" + line
      }
    }
    #expect(difference.count == 9)
    #expect(Set(shown) == Set(difference + [""]))
  }

  @Test("it begins with the counter, which is whole within 60 lines")
  func beginsWithTheCounter() {
    #expect(readme.lines.prefix(60).joined(separator: "\n").contains(program))
  }

  @Test("it has at most 1,000 words, with its code")
  func isShort() {
    let words = readme.split(whereSeparator: \.isWhitespace)
      .filter { $0.contains { $0.isLetter || $0.isNumber } }
    #expect(words.count <= 1_000)
  }
}

extension String {
  fileprivate var lines: [String] { components(separatedBy: "\n") }
}
