import Foundation
import GlueConsole
import Synchronization

/// Searches as grep does: prints `path:line:text` for each line found.
///
/// On a terminal its last line says how far it is.
final class Plain: Sendable {
  private let pattern: [UInt8]
  private let walk: Walk
  private let output: LineOutput
  private let errors = LineOutput(STDERR_FILENO, "standard error") { _ in }
  private let searched = Atomic(0)

  /// The status of standard output, by which its file is known.
  private let outputStatus: stat

  /// The exit status, as of grep: 0, 1 if nothing is found, 2 after an error.
  private let status = LockedBox<Int32>(1)

  /// Whether the text goes to a terminal, which it must not control.
  private let isSafe = isatty(STDOUT_FILENO) == 1

  init(pattern: [UInt8], directory: Path) {
    self.pattern = pattern
    let walk = Walk(from: directory)
    self.walk = walk
    output = LineOutput(STDOUT_FILENO, "standard output") { _ in walk.cancel() }
    var status = stat()
    fstat(STDOUT_FILENO, &status)
    outputStatus = status
  }

  /// Runs until everything is searched, or the output takes no more; returns the exit status.
  func run() -> Int32 {
    walk.run(visit: search) { [self] in fail("\(safeText($0.bytes)): \($1.reason)") }
    output.show(nil)
    for reason in output.end(within: nil) { fail("cannot write to \(reason)") }
    _ = errors.end(within: nil)
    return status.withLock { $0 }
  }

  @Sendable private func search(_ file: Path) throws(SystemError) {
    if file.withCString(isOutput) {
      return fail("\(safeText(file.bytes)): input file is also the output")
    }
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
    let count = searched.add(1, ordering: .relaxed).newValue
    if isSafe && count % 64 == 0 { output.show("\(count) of \(walk.filesKnown) files") }
  }

  private func isOutput(_ path: UnsafePointer<CChar>) -> Bool {
    var other = stat()
    return outputStatus.st_mode & S_IFMT == S_IFREG && lstat(path, &other) == 0
      && outputStatus.st_dev == other.st_dev && outputStatus.st_ino == other.st_ino
  }

  private func add(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
    if isSafe { text += safeText(bytes).utf8 } else { text += bytes }
  }

  /// Prints whole lines; the search ends where that fails.
  private func print(_ text: inout [UInt8]) {
    if text.isEmpty { return }
    status.withLock { if $0 == 1 { $0 = 0 } }
    output.write(bytes: text)
    text.removeAll(keepingCapacity: true)
  }

  /// Reports an error, which decides the status in any case.
  private func fail(_ message: String) {
    status.withLock { $0 = 2 }
    errors.write("SearchExample: \(message)\n", above: output)
  }
}
