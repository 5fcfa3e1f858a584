import Foundation

/// The blocks of a language in a Markdown text, without their fences.
func blocks(_ language: String = "swift", ofMarkdown text: String) -> [String] {
  text.components(separatedBy: "```\(language)\n").dropFirst()
    .map { String($0.prefix(upTo: $0.range(of: "\n```")?.lowerBound ?? $0.endIndex)) }
}

/// Whether a block is a package's manifest.
func isManifest(_ block: String) -> Bool {
  block.hasPrefix("// swift-tools-version")
}

/// The code blocks of the documentation comments in a source text: lines indented by four spaces
/// after an empty line.
func blocks(ofDocComments text: String) -> [String] {
  var blocks: [String] = []
  var block: [String]?
  for line in text.components(separatedBy: "\n").map({ $0.trimmingCharacters(in: .whitespaces) }) {
    if line == "///" {
      block = (block ?? []) + [""]
    } else if line.hasPrefix("///     "), let lines = block {
      block = lines + [String(line.dropFirst(8))]
    } else {
      if let lines = block { blocks.append(lines.joined(separator: "\n")) }
      block = nil
    }
  }
  return blocks.map { $0.trimmingCharacters(in: .newlines) }.filter { !$0.isEmpty }
}

/// Code without indentation and imports, in paragraphs.
func paragraphs(of code: String) -> [String] {
  unindented(code).split(separator: "\n", omittingEmptySubsequences: false)
    .filter { !$0.hasPrefix("import ") && !$0.hasPrefix("@testable import ") }
    .joined(separator: "\n")
    .components(separatedBy: "\n\n")
    .map { $0.trimmingCharacters(in: .newlines) }
    .filter { !$0.isEmpty }
}

/// The paragraphs of blocks whose lines are not in compiled code.
func paragraphs(of blocks: [String], missingIn compiled: String) -> [String] {
  let compiled = "\n" + unindented(compiled) + "\n"
  return blocks.flatMap(paragraphs).filter { !compiled.contains("\n" + $0 + "\n") }
}

private func unindented(_ code: String) -> String {
  code.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    .joined(separator: "\n")
}
