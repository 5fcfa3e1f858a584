package import Foundation
package import Testing

/// A shell with job control in a pseudo-terminal, and a program as its job.
///
/// The shell outlives the job, because the system resets the modes of a terminal whose session
/// ends, and they would prove nothing.
package struct JobSession {
  package let terminal: PseudoTerminal

  /// The terminal's modes before the job began.
  package var modes: PseudoTerminal.Modes { terminal.initialModes }

  /// The job's process.
  package let process: pid_t

  /// The text that the job writes when it leaves the terminal.
  private let farewell: String

  /// Starts the shell and waits for its job.
  ///
  /// - Parameters:
  ///   - program: a path.
  ///   - start: the shell's command that runs the job: `run`, and anything around it.
  ///   - farewell: the text that the job writes when it leaves the terminal.
  /// - Throws: the error of starting it.
  package init(_ program: String, start: String = "run", farewell: String = "\r\n") throws {
    self.farewell = farewell
    let script = """
      set -m
      trap : INT
      run() { sh -c 'echo "pid=$$."; exec "$0" "$@"' "$0" "$@"; }
      \(start)
      while echo "status=$?."; read -r line; do eval "$line"; done
      """
    terminal = try PseudoTerminal(running: "/bin/sh", ["-c", script, program])
    try terminal.read(until: "pid=")
    process = try #require(pid_t(try terminal.read(until: ".")))
  }

  /// Makes the shell run a command, such as `fg`, once the job has stopped.
  package func run(_ command: String) {
    terminal.type("\(command)\n")
  }

  /// Waits until the shell has the terminal back: the job has stopped or ended, as its status says.
  ///
  /// - Returns: the output before that.
  @discardableResult
  package func expect(status: Int32, at location: SourceLocation = #_sourceLocation) throws
    -> String
  {
    let written = try terminal.read(until: "status=")
    #expect(try terminal.read(until: ".") == "\(status)", sourceLocation: location)
    return written
  }

  /// Waits as ``expect(status:at:)`` does, for a job that leaves the terminal as it was.
  package func expectRestored(status: Int32, at location: SourceLocation = #_sourceLocation) throws
  {
    let written = try expect(status: status, at: location)
    #expect(written.contains(farewell), sourceLocation: location)
    #expect(terminal.modes == modes, sourceLocation: location)
  }
}
