import Foundation
import TerminalSupport

@main
enum Program {
  private static let output = Output(STDOUT_FILENO)
  private static let errors = Output(STDERR_FILENO)

  static func main() {
    do throws(SystemError) {
      try run(Invocation(arguments: arguments())).end()
    } catch {
      fail(error.message).end()
    }
  }

  /// What follows the program's name, as it was given: a `String` would replace what is not UTF-8.
  private static func arguments() -> [[UInt8]] {
    UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
      .compactMap { $0.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } }
      .dropFirst().map { $0 }
  }

  private static func run(_ invocation: Invocation) throws(SystemError) -> Ending {
    switch invocation {
    case .search(let directory): return try search(directory)
    case .plain(let query): return try plain(query)
    case .help:
      output.write("\(help)\n")
      try output.check()
      return .status(ExitStatus.success.rawValue)
    case .misuse(let message): return fail("\(message)\n\(usage)")
    }
  }

  private static func search(_ directory: Path) throws(SystemError) -> Ending {
    let isInputTerminal = isatty(STDIN_FILENO) == 1
    if isInputTerminal && isatty(STDOUT_FILENO) == 1 {
      signal(SIGPIPE, SIG_IGN)
      var interactive = try Interactive(directory: directory)
      return try interactive.run()
    }
    if isInputTerminal { return fail("without a terminal to write to, use --plain\n\(usage)") }
    guard let pattern = try readPattern() else { return fail("standard input has no pattern") }
    return try plain(Query(pattern: pattern, directory: directory))
  }

  private static func plain(_ query: Query) throws(SystemError) -> Ending {
    .status(try Plain(output: output, errors: errors).run(query).rawValue)
  }

  private static func fail(_ message: String) -> Ending {
    errors.write("SearchExample: \(message)\n")
    return .status(ExitStatus.error.rawValue)
  }
}
