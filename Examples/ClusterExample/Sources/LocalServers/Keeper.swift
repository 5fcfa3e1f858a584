import Foundation
import Synchronization

/// A process that outlives this one, kills its servers and deletes their folder: whatever ends this
/// process, nothing stays behind.
final class Keeper: Sendable {
  private struct State {
    let process = Process()
    let pipe = Pipe()
    var pids: Set<Int32> = []
  }

  private let state = Mutex(State())

  init(of folder: URL) throws {
    // Each line that comes is all that runs; the end of the lines is the end of this process.
    let script = """
      trap '' INT TERM HUP; pids=
      while read -r line; do pids=$line; done
      [ -z "$pids" ] || kill -9 $pids; rm -rf "$0"
      """
    try state.withLock { state in
      state.process.executableURL = URL(fileURLWithPath: "/bin/sh")
      state.process.arguments = ["-c", script, folder.path]
      state.process.standardInput = state.pipe
      state.process.standardOutput = FileHandle.nullDevice
      state.process.standardError = FileHandle.nullDevice
      try state.process.run()
    }
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
