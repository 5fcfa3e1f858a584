import Foundation
import Testing

@Suite("The README's code is compiled and run")
struct ReadmeTests {
  private static func blocks() throws -> [String] {
    try DocumentationTests.blocks(ofMarkdown: text("README.md"))
  }

  @Test("the program is the one that is run and killed, and the test is one that runs")
  func examplesAreTheSame() throws {
    let examples = try Self.blocks().filter { !isManifest($0) }
    #expect(examples.count == 2)
    let program = try text("Tests/ReadmeProgram/main.swift")
    #expect(examples.first.map { $0 + "\n" } == program)
    let compiled = try text("Tests/DocumentationTests/Readme/Examples.swift")
    #expect(paragraphs(of: Array(examples.dropFirst()), missingIn: compiled) == [])
  }

  @Test("the package manager accepts the manifest, with Glue as a dependency")
  func manifest() throws {
    let manifest = try #require(try Self.blocks().first(where: isManifest))

    let package = try description(ofManifest: manifest)

    #expect(package["name"] as? String == "App")
    #expect((package["dependencies"] as? [Any])?.count == 1)
  }

  @Test("it has at most 1,100 words, with its code")
  func isShort() throws {
    let words = try text("README.md").split(whereSeparator: \.isWhitespace)
      .filter { $0.contains { $0.isLetter || $0.isNumber } }
    #expect(words.count <= 1_100)
  }
}
