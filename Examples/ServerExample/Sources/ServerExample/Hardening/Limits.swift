public import ArgumentParser
import Foundation

/// How much of the server clients may use.
struct Limits: ParsableArguments {
  @Option(help: "Connections at a time; further ones wait.") var connections: UInt32 = 2_000
  @Option(help: "Seconds in which a client must read an answer.")
  var writeWithin = Duration.seconds(10)
  @Option(help: "Seconds in which a client must send a whole request.")
  var receiveWithin = Duration.seconds(30)

  /// Lets this process have as many open files as its connections need.
  func allowFiles() throws {
    var files = rlimit()
    getrlimit(openFiles, &files)
    files.rlim_cur = max(files.rlim_cur, rlim_t(connections) + 100)
    guard connections > 0, setrlimit(openFiles, &files) == 0 else {
      throw ValidationError(
        "--connections is \(connections). Expected 1 to \(Int(clamping: files.rlim_max) - 100), "
          + "because this process may open \(files.rlim_max) files.")
    }
  }
}

extension Duration: @retroactive ExpressibleByArgument {
  /// Parses a number of seconds above 0.
  public init?(argument: String) {
    guard let value = Double(argument), (1e-3...1e9).contains(value) else { return nil }
    self = .seconds(value)
  }
}

#if canImport(Glibc)
  private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let openFiles = RLIMIT_NOFILE
#endif
