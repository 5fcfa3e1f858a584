import Foundation
import Glue
import GlueConsole

private let usage = """
  Usage: DatabaseExample DIRECTORY [WORD]

  Queues each line of standard input, and records it in DIRECTORY/history.sqlite. A line is printed
  once it is safe in the queue: then it is recorded once, even if the program is killed. With a WORD,
  prints the recorded lines that contain it.
  """

@main
enum Program {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let directory = arguments.first, !directory.hasPrefix("-"), arguments.count <= 2 else {
      FileHandle.standardError.write(Data("\(usage)\n".utf8))
      exit(EX_USAGE)
    }
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    let history = try RunHistory(file: directory + "/history.sqlite")
    if arguments.count == 2 {
      for text in try history.texts(containing: arguments.last ?? "") { print(text) }
      return
    }
    let console = Console()
    let recording = Recording(
      clock: ContinuousClock(), report: { FileHandle.standardError.write(Data("\($0)\n".utf8)) },
      insert: { try await history.insert($0) })
    let store = try makeStore(in: directory, recording) { console.write($0.text) }
    console.readLines { store.dispatch(QueueIntent.add(Run(id: UUID(), text: $0))) }
    await console.run(store, finishing: .seconds(10), within: .seconds(10)).exit()
  }
}
