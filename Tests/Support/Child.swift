package import Foundation

/// A child process, with the signals of a program that a shell starts.
package struct Child {
  package let id: pid_t

  package enum Ending: Equatable { case exit(Int32), signal(Int32) }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: a path, which is the first argument too.
  ///   - arguments: the arguments after it.
  ///   - isSessionLeader: begins a session, whose terminal will be the first that is opened.
  ///   - setFiles: sets the child's descriptors.
  /// - Throws: the error of starting the program.
  package init(
    _ program: String, _ arguments: [String], isSessionLeader: Bool = false,
    setFiles: (inout posix_spawn_file_actions_t) -> Void
  ) throws {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    setFiles(&files)
    var attributes = attributes(isSessionLeader: isSessionLeader)
    defer {
      posix_spawn_file_actions_destroy(&files)
      posix_spawnattr_destroy(&attributes)
    }
    id = try withCStrings([program] + arguments) { arguments in
      try withCStrings(environment) { environment in
        var id: pid_t = 0
        let code = posix_spawn(&id, program, &files, &attributes, arguments, environment)
        if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        return id
      }
    }
  }

  /// Waits until the child has ended; to be called once.
  package func wait() -> Ending {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? .exit(status >> 8) : .signal(status & 0x7F)
  }
}

/// The path of a program under test, which is built into the same directory as its tests.
package func builtProgram(_ name: String) -> String {
  let tests = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
  return tests.deletingLastPathComponent().appendingPathComponent(name).path
}

/// The tests' environment, except for the terminal, because a program gets another one.
///
/// A crash prints only its message, because printing a backtrace hangs under the thread sanitizer.
private let environment =
  ProcessInfo.processInfo.environment
  .merging(["TERM": "xterm", "NO_COLOR": "", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
  .map { "\($0)=\($1)" }

private func attributes(isSessionLeader: Bool) -> posix_spawnattr_t {
  let setSession: Int32 = 0x80  // POSIX_SPAWN_SETSID, which Swift does not import.
  let setSignals = Int32(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK)
  var attributes = posix_spawnattr_t()
  var all = sigset_t()
  var none = sigset_t()
  sigfillset(&all)
  sigemptyset(&none)
  posix_spawnattr_init(&attributes)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setsigmask(&attributes, &none)
  let flags = isSessionLeader ? setSignals | setSession : setSignals
  posix_spawnattr_setflags(&attributes, Int16(flags))
  return attributes
}

/// Calls the body with a null-terminated array of C strings.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
) rethrows -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return try body(copies + [nil])
}
