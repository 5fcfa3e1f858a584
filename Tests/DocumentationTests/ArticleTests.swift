import Foundation
import Testing

@Suite("The articles' code is compiled and run")
struct ArticleTests {
  /// Each article's name and path.
  private static let articles = [
    "Glue", "GlueCluster", "GlueConsole", "GlueInspector", "GlueJournal", "GlueLogging",
    "GlueNATS", "GluePostgreSQL", "GlueProcesses", "GlueSimulation", "GlueTesting",
  ].flatMap { module in
    files(in: "Sources/\(module)/\(module).docc", ending: ".md")
  }

  /// The files that an article's code stands in, besides the one of its name.
  private static func moreSources(of article: Substring) -> [String] {
    switch article {
    case "MainActor":
      ["Tests/DocumentationTests/Articles/EventLoops.swift"]
        + files(in: "Examples/DesktopExample/Sources", ending: ".swift")
        + files(in: "Examples/DesktopExample/Tests", ending: ".swift")
    case "GettingStarted": ["Tests/ReadmeProgram/main.swift", "Tests/SurvivingProgram/main.swift"]
    case "Recipes":
      ["Tests/DownloadsProgram/main.swift", "Tests/DocumentationTests/Articles/Downloads.swift"]
    default: []
    }
  }

  private static func blocks(of article: String) throws -> [String] {
    try DocumentationTests.blocks(ofMarkdown: text(article))
  }

  @Test("every paragraph of an article's examples is in the file of its name", arguments: articles)
  func examplesAreTheSame(article: String) throws {
    let examples = try Self.blocks(of: article).filter { !isManifest($0) }
    if examples.isEmpty { return }
    let name = try #require(article.split(separator: "/").last?.split(separator: ".").first)
    let folder = name == "MainActor" ? "MainActorTests" : "DocumentationTests/Articles"
    let sources = ["Tests/\(folder)/\(name).swift"] + Self.moreSources(of: name)
    let compiled = try sources.map(text).joined(separator: "\n")
    #expect(paragraphs(of: examples, missingIn: compiled) == [])
  }

  @Test("there are articles, and examples in them")
  func articlesAreFound() throws {
    let examples = try Self.articles.flatMap(Self.blocks)
    #expect(Self.articles.count > 10)
    #expect(examples.count >= 40)
  }

  @Test("the package manager accepts the manifests")
  func manifests() throws {
    let manifests = try Self.articles.flatMap(Self.blocks).filter(isManifest)
    #expect(manifests.count == 3)
    for manifest in manifests {
      #expect(try (description(ofManifest: manifest)["targets"] as? [Any])?.isEmpty == false)
    }
  }

  @Test("every guarantee has a suite of its name")
  func suitesExist() throws {
    let headings = try text("Sources/Glue/Glue.docc/Guarantees.md").components(separatedBy: "\n")
      .filter { $0.hasPrefix("### G") && $0.contains(/\d/) }
    #expect(headings.count == 12)
    for heading in headings {
      let words = heading.split(separator: " ").dropFirst()
      let suite = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Tests"
      #expect(try text("Tests/GlueTests/\(suite).swift").contains("struct \(suite)"))
    }
  }

  @Test("every source file that Inside names exists")
  func sourcesExist() throws {
    let there = (files(in: "Sources", ending: ".swift") + files(in: "Tests", ending: ".swift"))
      .map { "/\($0)" }
    let named = try text("Sources/Glue/Glue.docc/Inside.md").matches(of: /`([\w\/]+\.swift)`/)
    #expect(named.count > 15)
    for name in named.map(\.1) {
      #expect(there.contains { $0.hasSuffix("/\(name)") }, "\(name)")
    }
  }
}
