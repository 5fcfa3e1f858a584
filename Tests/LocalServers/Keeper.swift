import Foundation
import Synchronization

/// A folder for servers, and a process that outlives this one.
///
/// It kills the servers and deletes the folder, even if this process is killed.
package final class Keeper: Sendable {
  let folder = NSTemporaryDirectory() + "/glue-\(UInt64.random(in: .min ... .max))"

  private struct State {
    let process: Process
    let pipe = Pipe()
    var pids: Set<Int32> = []
  }

  private let state: Mutex<State>

  init() throws {
    // Each line lists the running servers; the lines end when this process does.
    let script = """
      trap '' INT TERM HUP; pids=
      while read -r line; do pids=$line; done
      [ -z "$pids" ] || kill -9 $pids; rm -rf "$0"
      """
    let state = State(process: Process(["/bin/sh", "-c", script, folder]))
    state.process.standardInput = state.pipe
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try state.process.run()
    self.state = Mutex(state)
  }

  func set(_ pid: Int32, isRunning: Bool) {
    state.withLock { state in
      if isRunning { state.pids.insert(pid) } else { state.pids.remove(pid) }
      let line = state.pids.map(String.init).joined(separator: " ") + "\n"
      try? state.pipe.fileHandleForWriting.write(contentsOf: Data(line.utf8))
    }
  }

  /// Ends it, and waits until the folder is gone.
  func end() {
    state.withLock { state in
      try? state.pipe.fileHandleForWriting.close()
      state.process.waitUntilExit()
    }
  }
}
