import Foundation
import TerminalSupport

/// Searches as grep does: prints `path:line:text` for each line found.
final class Plain: Sendable {
  private let pattern: [UInt8]
  private let walk: Walk
  private let output: Output, errors: Output

  /// The status to exit with, which are those of grep: 0, 1 if nothing is found, 2 after an error.
  private let status = Locked<Int32>(1)

  /// Whether the text goes to a terminal, so that it must not steer that.
  private let isSafe = isatty(STDOUT_FILENO) == 1

  init(pattern: [UInt8], directory: Path, output: Output, errors: Output) {
    self.pattern = pattern
    walk = Walk(from: directory)
    (self.output, self.errors) = (output, errors)
  }

  /// Runs until all is searched, or the output takes no more; returns the status to exit with.
  func run() throws(SystemError) -> Int32 {
    walk.run(visit: search) { [self] in fail($0, $1.reason) }
    try output.check()
    return status.withLock { $0 }
  }

  @Sendable private func search(_ file: Path) throws(SystemError) {
    if file.withCString(output.isFile) { return fail(file, "input file is also the output") }
    var text: [UInt8] = []
    defer { print(&text) }
    _ = try searchFile(file, for: pattern, unless: { walk.isCancelled }) { line in
      add(file.bytes, to: &text)
      text += ":".utf8
      text += String(line.number).utf8
      text += ":".utf8
      add(line.text, to: &text)
      text.append(newline)
      if text.count > 65_536 { print(&text) }
    }
  }

  private func add(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
    if isSafe { text += safeText(bytes).utf8 } else { text += bytes }
  }

  /// Prints whole lines while no other thread does; the search ends if that fails.
  private func print(_ text: inout [UInt8]) {
    if text.isEmpty { return }
    status.withLock {
      if $0 == 1 { $0 = 0 }
      output.write(bytes: text)
    }
    text.removeAll(keepingCapacity: true)
    do { try output.check() } catch { walk.cancel() }
  }

  /// Tells what went wrong, which is what the status says then, whatever is found.
  private func fail(_ path: Path, _ reason: String) {
    status.withLock { $0 = 2 }
    errors.write("SearchExample: \(safeText(path.bytes)): \(reason)\n")
  }
}
