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
    do {
      return try run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as SystemError where error.code == EPIPE {
      return .status(EX_OK)
    } catch {
      errors.write("CounterExample: \((error as? SystemError)?.message ?? "\(error)")\n")
      return .status(EX_IOERR)
    }
  }

  private static func run(_ arguments: [String]) throws -> Ending {
    switch arguments {
    case []: return try count(journal: nil)
    case let journal where journal.count == 2 && journal[0] == "--journal":
      return try count(journal: journal[1])
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

  private static func count(journal directory: String?) throws -> Ending {
    let store = try makeStore(journal: directory)
    if Terminal.isUsable { return try LiveKeys(store: store).run() }
    return .status(try Pipe(store: store, output: output, errors: errors).run())
  }
}
