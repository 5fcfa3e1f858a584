import Testing

@Suite("The code in documentation comments is compiled and run")
struct DocCommentTests {
  /// The beginnings of blocks that aren't Swift: timelines, races, and the entries of a log.
  private static let figures = [
    "commit 7 ", "emitted ", "#5 ", "the call ", "the drainer ", "who delivers ",
  ]

  private static let sources = [
    "Glue", "GlueConsole", "GlueInspector", "GlueJournal", "GlueProcesses", "GlueSimulation",
    "GlueTesting",
  ].flatMap { module in
    files(in: "Sources/\(module)", ending: ".swift")
  }

  private static func blocks(of source: String) throws -> [String] {
    try DocumentationTests.blocks(ofDocComments: text(source))
      .filter { block in !figures.contains { block.hasPrefix($0) } }
  }

  private static let compiled = files(in: "Tests/DocumentationTests/DocComments", ending: ".swift")

  @Test("every paragraph of every example is compiled", arguments: sources)
  func examplesAreTheSame(source: String) throws {
    let compiled = try Self.compiled.map(text).joined(separator: "\n")
    #expect(try paragraphs(of: Self.blocks(of: source), missingIn: compiled) == [])
  }

  @Test("there are examples")
  func examplesAreFound() throws {
    #expect(try Self.sources.flatMap(Self.blocks).count >= 40)
  }
}
