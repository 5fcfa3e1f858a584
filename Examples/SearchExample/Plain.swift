import Foundation
import TerminalSupport

/// Searches as grep does: prints `path:line:text` for each line found.
final class Plain: Sendable {
  private let pattern: [UInt8]
  private let walk: Walk
  private let output: Output
  private let errors: Output
  private let status = Locked(ExitStatus.notFound)

  /// Whether the text goes to a terminal, so that it must not steer that.
  private let isSafe = isatty(STDOUT_FILENO) == 1

  /// Where the text goes: a file that would never end if it were searched.
  private let sink: stat

  init(pattern: [UInt8], directory: Path, output: Output, errors: Output) {
    self.pattern = pattern
    walk = Walk(from: directory)
    self.output = output
    self.errors = errors
    var status = stat()
    fstat(STDOUT_FILENO, &status)
    sink = status
  }

  /// Runs until all is searched, or the output takes no more.
  ///
  /// - Returns: the status to exit with.
  /// - Throws: what kept the results from being written.
  func run() throws(SystemError) -> ExitStatus {
    walk.run(visit: { self.search($0) }, failed: { self.fail($0, $1.reason) })
    try output.check()
    return status.withLock { $0 }
  }

  private func search(_ file: Path) {
    if isSink(file) { return fail(file, "input file is also the output") }
    var text: [UInt8] = []
    do throws(SystemError) {
      _ = try searchFile(file, for: pattern, unless: { walk.isCancelled }) { line in
        add(file.bytes, to: &text)
        text += ":\(line.number):".utf8
        add(line.text, to: &text)
        text.append(newline)
        if text.count > 65_536 { print(&text) }
      }
    } catch {
      fail(file, error.reason)
    }
    print(&text)
  }

  private func isSink(_ file: Path) -> Bool {
    var status = stat()
    return sink.st_mode & S_IFMT == S_IFREG && file.withCString { lstat($0, &status) } == 0
      && status.st_dev == sink.st_dev && status.st_ino == sink.st_ino
  }

  private func add(_ bytes: some Collection<UInt8>, to text: inout [UInt8]) {
    if isSafe { text += safeText(bytes).utf8 } else { text += bytes }
  }

  /// Prints whole lines while no other thread does; the search ends if that fails.
  private func print(_ text: inout [UInt8]) {
    if text.isEmpty { return }
    status.withLock {
      if $0 == .notFound { $0 = .found }
      output.write(bytes: text)
    }
    text.removeAll(keepingCapacity: true)
    do { try output.check() } catch { walk.cancel() }
  }

  /// Tells what went wrong, which is what the status says then, whatever is found.
  private func fail(_ path: Path, _ reason: String) {
    status.withLock { $0 = .error }
    errors.write("SearchExample: \(safeText(path.bytes)): \(reason)\n")
  }
}

/// The numbers are those of grep.
enum ExitStatus: Int32 {
  case found = 0
  case notFound = 1
  case error = 2
}
