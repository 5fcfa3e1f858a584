import Foundation
import TerminalSupport

/// Searches as grep does: prints `path:line:text` for each line found.
struct Plain {
  private let output: Output
  private let errors: Output

  init(output: Output, errors: Output) {
    self.output = output
    self.errors = errors
  }

  /// Runs until all is searched, or the output takes no more.
  ///
  /// - Returns: the status to exit with.
  /// - Throws: what kept the results from being written.
  func run(_ query: Query) throws(SystemError) -> ExitStatus {
    let scan = Scan(of: query.directory, for: Pattern(query.pattern))
    let printer = Printer(output, for: scan, isSafe: isatty(STDOUT_FILENO) == 1)
    scan.run { LinePrinter(printer, errors: errors) }
    try output.check()
    return printer.status
  }
}

/// What to search for, and where.
struct Query: Equatable {
  var pattern: [UInt8]
  var directory: Path
}
