import ArgumentParser
import Foundation

/// What clients may take of the server.
struct Limits: ParsableArguments {
  @Option(help: "Connections at a time; further ones wait.") var connections: UInt32 = 2_000
  @Option(help: "Seconds in which a client must read what it is sent.", transform: seconds)
  var writeWithin = Duration.seconds(10)
  @Option(help: "Seconds in which a client must send a whole request.", transform: seconds)
  var receiveWithin = Duration.seconds(30)

  /// Lets this process have as many open files as its connections need.
  func allowFiles() throws {
    var files = rlimit()
    getrlimit(openFiles, &files)
    files.rlim_cur = max(files.rlim_cur, rlim_t(connections) + 100)
    guard connections > 0, setrlimit(openFiles, &files) == 0 else {
      throw ValidationError(
        "--connections is \(connections). Expected 1 or more, and 100 files more than that of the "
          + "\(files.rlim_max) that this process may open.")
    }
  }
}

/// Parses a positive number of seconds.
@Sendable
func seconds(_ argument: String) throws -> Duration {
  guard let value = Double(argument), (1e-3...1e9).contains(value) else {
    throw ValidationError("Expected a number above 0.")
  }
  return .seconds(value)
}

#if canImport(Glibc)
  private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let openFiles = RLIMIT_NOFILE
#endif
