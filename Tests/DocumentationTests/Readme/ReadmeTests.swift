import Foundation
import Testing

@Suite("The README's code is compiled and run")
struct ReadmeTests {
  private static func blocks() throws -> [String] {
    try DocumentationTests.blocks(ofMarkdown: text("README.md"))
  }

  @Test("every paragraph of every example is in the examples that run")
  func examplesAreTheSame() throws {
    let examples = try Self.blocks().filter { !isManifest($0) }
    #expect(examples.count == 5)
    let compiled = try text("Tests/DocumentationTests/Readme/Examples.swift")
    #expect(paragraphs(of: examples, missingIn: compiled) == [])
  }

  @Test("the package manager accepts the manifest, with Glue as a dependency")
  func manifest() throws {
    let manifest = try #require(try Self.blocks().first(where: isManifest))

    let package = try description(ofManifest: manifest)

    #expect(package["name"] as? String == "App")
    #expect((package["dependencies"] as? [Any])?.count == 1)
  }

  @Test("every guarantee of the table names a suite that exists")
  func suitesExist() throws {
    let rows = try text("README.md").components(separatedBy: "\n").filter { $0.hasPrefix("| G") }
    #expect(rows.count == 12)
    for row in rows {
      let suite = try #require(row.split(separator: "`").last { $0.hasSuffix("Tests") })
      #expect(try text("Tests/GlueTests/\(suite).swift").contains("struct \(suite)"))
    }
  }
}
