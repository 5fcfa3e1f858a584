import Foundation
import TerminalSupport

@main
enum Program {
  private static let output = Output(STDOUT_FILENO)
  private static let errors = Output(STDERR_FILENO)

  static func main() {
    signal(SIGPIPE, SIG_IGN)  // A write to a closed pipe fails instead.
    ending().end()
  }

  private static func ending() -> Ending {
    do throws(SystemError) {
      return try run(Invocation(arguments: Array(CommandLine.arguments.dropFirst())))
    } catch let error where error.code == EPIPE {
      return .status(ExitStatus.success.rawValue)
    } catch {
      errors.write("CounterExample: \(error.message)\n")
      return .status(ExitStatus.ioError.rawValue)
    }
  }

  private static func run(_ invocation: Invocation) throws(SystemError) -> Ending {
    switch invocation {
    case .count: return try count()
    case .help:
      output.write("\(help)\n")
      try output.check()
      return .status(ExitStatus.success.rawValue)
    case .unknown(let arguments):
      let text = quoted(Array(arguments.utf8)[...])
      errors.write("CounterExample: unknown arguments \(text)\n\(usage)\n")
      return .status(ExitStatus.usage.rawValue)
    }
  }

  private static func count() throws(SystemError) -> Ending {
    if isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 {
      var interactive = try Interactive()
      return try interactive.run()
    }
    var piped = Piped(output: output, errors: errors)
    return .status(try piped.run().rawValue)
  }
}
