import Foundation

/// A pseudo-terminal, seen from the side of its user, with a program on the other.
package final class PseudoTerminal {
  package struct UnexpectedEnd: Error { let expected: String, transcript: String }

  /// The terminal's treatment of keys, from `tcgetattr`.
  package struct Modes: Equatable {
    fileprivate var modes = termios()

    fileprivate init(of descriptor: Int32) {
      tcgetattr(descriptor, &modes)
    }

    package static func == (one: Modes, other: Modes) -> Bool {
      "\(one.modes)" == "\(other.modes)"
    }
  }

  /// The modes before the program began.
  package let initialModes: Modes

  private let descriptor: Int32
  private let child: Child
  private var unread = ""
  private var isHungUp = false
  private var hasEnded = false

  /// Starts a program in a new terminal.
  ///
  /// - Parameters:
  ///   - program: a path.
  ///   - arguments: the arguments after it.
  ///   - isControlling: whether the program's own session has the terminal, as in a terminal
  ///     emulator, with keys that send signals.
  /// - Throws: the error of starting it.
  package init(running program: String, _ arguments: [String] = [], isControlling: Bool = true)
    throws
  {
    var ends: (user: Int32, program: Int32) = (-1, -1)
    guard openpty(&ends.user, &ends.program, nil, nil, nil) == 0, let path = ttyname(ends.program)
    else { throw POSIXError(.ENOTTY) }
    defer { close(ends.program) }
    descriptor = ends.user
    initialModes = Modes(of: descriptor)
    for end in [ends.user, ends.program] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    child = try Child(program, arguments, isSessionLeader: isControlling) { files in
      posix_spawn_file_actions_addopen(
        &files, STDIN_FILENO, path, isControlling ? O_RDWR : O_RDWR | O_NOCTTY, 0)
      posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDERR_FILENO)
    }
  }

  deinit {
    if !isHungUp { close(descriptor) }
    if !hasEnded { _ = child.wait() }
  }

  /// The modes now, which both sides share.
  package var modes: Modes {
    get { Modes(of: descriptor) }
    set {
      var modes = newValue.modes
      tcsetattr(descriptor, TCSANOW, &modes)
    }
  }

  /// Gives the terminal another size, of which SIGWINCH notifies its foreground programs.
  package func resize(rows: UInt16, columns: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  package func type(_ keys: String) {
    write(descriptor, keys, keys.utf8.count)
  }

  /// Waits for the text and returns the output before it.
  @discardableResult
  package func read(until text: String) throws -> String {
    while true {
      if let range = unread.range(of: text, options: .literal) {
        defer { unread.removeSubrange(..<range.upperBound) }
        return String(unread[..<range.lowerBound])
      }
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = Foundation.read(descriptor, &bytes, bytes.count)
      if count <= 0 { throw UnexpectedEnd(expected: text, transcript: unread) }
      unread += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }

  /// Sends a signal to the program, and waits for its end without reading its output.
  package func end(by signal: Int32) -> Child.Ending {
    kill(child.id, signal)
    hasEnded = true
    return child.wait()
  }

  /// Takes the terminal away, and waits for the program's end.
  package func hangUp() -> Child.Ending {
    isHungUp = true
    close(descriptor)
    hasEnded = true
    return child.wait()
  }
}
