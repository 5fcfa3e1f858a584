/// Held while lines are written, so that those of several threads do not mix.
private let turn = Guarded(())

/// Writes lines to standard error.
///
/// What cannot be written is lost: there is nowhere else to say so.
package func writeToStandardError(_ lines: String) {
  let bytes = Array((lines + "\n").utf8)
  turn.withLock { _ in
    withoutBrokenPipeSignal { bytes.withUnsafeBytes { writeToStandardError($0) } }
  }
}
