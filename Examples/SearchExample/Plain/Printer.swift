import TerminalSupport

/// Prints what the threads of a scan have found, without mixing their lines.
final class Printer: Sendable {
  /// Whether the text goes to a terminal, so that it must not steer that.
  let isSafe: Bool

  private let output: Output
  private let scan: Scan
  private let current = Locked(ExitStatus.notFound)

  init(_ output: Output, for scan: Scan, isSafe: Bool) {
    self.output = output
    self.scan = scan
    self.isSafe = isSafe
  }

  /// The status to exit with, as of what was printed and noted.
  var status: ExitStatus { current.withLock { $0 } }

  /// Calls the body, which prints while no other thread does; the scan ends if that fails.
  func print(_ body: (Output) -> Void) {
    current.withLock { status in
      if status == .notFound { status = .found }
      body(output)
    }
    do { try output.check() } catch { scan.cancel() }
  }

  /// Makes the status that of an error, whatever is found.
  func noteError() {
    current.withLock { $0 = .error }
  }
}
