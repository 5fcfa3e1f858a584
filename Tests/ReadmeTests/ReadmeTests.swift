import Foundation
import Testing

@Suite("The README's code is what is compiled and run")
struct ReadmeTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The README's Swift blocks, without their fences.
  private static func blocks() throws -> [String] {
    try text("README.md").components(separatedBy: "```swift\n").dropFirst()
      .map { String($0.prefix(upTo: $0.range(of: "\n```")?.lowerBound ?? $0.endIndex)) }
  }

  /// Code without indentation, in paragraphs, which imports are not part of.
  private static func paragraphs(of code: String) -> [String] {
    code.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.hasPrefix("import ") }
      .joined(separator: "\n")
      .components(separatedBy: "\n\n")
      .map { $0.trimmingCharacters(in: .newlines) }
      .filter { !$0.isEmpty }
  }

  @Test("every paragraph of every example is in the examples that run")
  func examplesAreTheSame() throws {
    let compiled = try Self.text("Tests/ReadmeTests/Examples.swift")
      .components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .joined(separator: "\n")
    let examples = try Self.blocks().filter { !$0.hasPrefix("// swift-tools-version") }
    #expect(examples.count == 8)
    for paragraph in examples.flatMap(Self.paragraphs) {
      #expect(compiled.contains("\n" + paragraph + "\n"))
    }
  }

  @Test("the manifest is one that the package manager accepts, with Glue as a dependency")
  func manifest() throws {
    let manifest = try #require(
      try Self.blocks().first { $0.hasPrefix("// swift-tools-version") })
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try manifest.write(
      to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)

    let description = try output(
      of: ["swift", "package", "--package-path", folder.path, "dump-package"])

    let json = try JSONSerialization.jsonObject(with: description) as? [String: Any]
    #expect(json?["name"] as? String == "App")
    #expect((json?["dependencies"] as? [Any])?.count == 1)
  }

  @Test("every guarantee of the table names a suite that exists")
  func suitesExist() throws {
    let rows = try Self.text("README.md").components(separatedBy: "\n").filter {
      $0.hasPrefix("| G")
    }
    #expect(rows.count == 12)
    for row in rows {
      let suite = try #require(row.split(separator: "`").last { $0.hasSuffix("Tests") })
      #expect(try Self.text("Tests/GlueTests/\(suite).swift").contains("struct \(suite)"))
    }
  }
}

/// What a command prints to its standard output.
private func output(of command: [String]) throws -> Data {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = command
  process.standardOutput = pipe
  try process.run()
  let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0)
  return data
}
