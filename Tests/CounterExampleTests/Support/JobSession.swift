import Foundation
import Testing

/// A shell with job control in a pseudo-terminal, and CounterExample as its job.
///
/// The shell outlives the job, for the system resets the modes of a terminal whose session ends:
/// then they would prove nothing.
struct JobSession {
  let terminal: PseudoTerminal

  /// The terminal's modes before the job began.
  var modes: PseudoTerminal.Modes { terminal.initialModes }

  /// The job's process.
  let process: pid_t

  /// Starts the shell and waits for its job.
  ///
  /// - Parameter start: the shell's command that runs the job.
  /// - Throws: what kept it from starting.
  init(start: String = "run") throws {
    let script = """
      set -m
      trap : INT
      run() { sh -c 'echo "pid=$$."; exec "$0"' "$0"; }
      \(start)
      while echo "status=$?."; read -r line; do eval "$line"; done
      """
    terminal = try PseudoTerminal(running: "/bin/sh", ["-c", script, counterExample])
    try terminal.read(until: "pid=")
    process = try #require(pid_t(try terminal.read(until: ".")))
  }

  /// Has the shell, once the job has stopped, run a command: `fg`, for one.
  func run(_ command: String) {
    terminal.type("\(command)\n")
  }

  /// Waits until the shell has the terminal back: the job has stopped or ended, as its status says.
  ///
  /// - Returns: what was written before.
  @discardableResult
  func expect(status: Int32, at location: SourceLocation = #_sourceLocation) throws -> String {
    let written = try terminal.read(until: "status=")
    #expect(try terminal.read(until: ".") == "\(status)", sourceLocation: location)
    return written
  }

  /// Waits as ``expect(status:at:)`` does, for a job that leaves the terminal as it was.
  func expectRestored(status: Int32, at location: SourceLocation = #_sourceLocation) throws {
    let written = try expect(status: status, at: location)
    #expect(written.contains("\r\n"), sourceLocation: location)
    #expect(terminal.modes == modes, sourceLocation: location)
  }
}
