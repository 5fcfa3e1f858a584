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
      return try run(Array(CommandLine.arguments.dropFirst()))
    } catch let error where error.code == EPIPE {
      return .status(EX_OK)
    } catch {
      errors.write("CounterExample: \(error.message)\n")
      return .status(EX_IOERR)
    }
  }

  private static func run(_ arguments: [String]) throws(SystemError) -> Ending {
    switch arguments {
    case [] where Terminal.isUsable: return try LiveKeys().run()
    case []: return .status(try Pipe(output: output, errors: errors).run())
    case ["-h"], ["--help"]:
      output.write("\(help)\n")
      try output.check()
      return .status(EX_OK)
    default:
      let text = quoted(arguments.joined(separator: " "))
      errors.write("CounterExample: unknown arguments \(text)\n\(usage)\n")
      return .status(EX_USAGE)
    }
  }
}
