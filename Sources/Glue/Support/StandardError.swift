/// Held while lines are written, so that those of several threads don't mix.
private let turn = Guarded(())

/// Writes lines to standard error.
///
/// Lines that can't be written are lost, because there is no other place to report it.
package func writeToStandardError(_ lines: String) {
  let bytes = Array((lines + "\n").utf8)
  turn.withLock { _ in
    withoutBrokenPipeSignal { bytes.withUnsafeBytes { writeToStandardError($0) } }
  }
}
