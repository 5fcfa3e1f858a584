import ProcessSupport

@testable import SearchExample

/// The program under test.
let searchExample = builtProgram("SearchExample")

/// The lines that grep prints, sorted, with the options that make it search as the program does.
func grep(_ pattern: String, in directory: String) throws -> [String] {
  let grep = try PipedProgram(
    "/usr/bin/env",
    ["LC_ALL=C", "grep", "-rInF", "--exclude-dir=.git", "-e", pattern, directory])
  return sortedLines(try grep.finish().output)
}

/// The lines of a text.
///
/// `\r\n` ends one too, though it is one character to Swift.
func sortedLines(_ text: String) -> [String] {
  text.utf8.split(separator: newline).map { String(decoding: $0, as: UTF8.self) }.sorted()
}
