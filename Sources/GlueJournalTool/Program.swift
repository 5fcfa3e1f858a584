import Foundation
import GlueJournal

private let usage = "Usage: GlueJournalTool DIRECTORY | FILE [--export FILE | --cut]"

private let help = """
  \(usage)

  Describes the journal in a DIRECTORY, or in an exported FILE: its states and commits, their
  sizes and times, and whether it is intact. If a program could not open it, but one command
  repairs it, that is printed, with the number of commits that it loses. Nothing is changed,
  and a program may be writing the journal meanwhile.

    --export FILE   write all records into one file, including private values
    --cut           cut off a damaged record of a log and all after it, and keep them in
                    files beside it; no program may have the journal open

  Exit status:
    0    the journal is intact
    1    it is damaged, incomplete, or no journal
    64   unknown arguments
    66   the path leads to no journal, or it cannot be read or cut
    73   the export cannot be written
  """

@main
enum Program {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.count {
    case 1 where ["-h", "--help"].contains(arguments[0]): print(help)
    case 1 where !arguments[0].hasPrefix("-"): describe(arguments[0])
    case 2 where arguments[1] == "--cut": cut(arguments[0])
    case 3 where arguments[1] == "--export": export(arguments[0], to: arguments[2])
    default: fail(usage, EX_USAGE)
    }
  }

  private static func describe(_ path: String) {
    do {
      let summary = try Summary(of: path)
      for line in summary.lines { print(line) }
      exit(summary.isWhole ? EX_OK : 1)
    } catch { fail("GlueJournalTool: \(error)", EX_NOINPUT) }
  }

  private static func export(_ path: String, to file: String) {
    do { try exportRecords(at: path, to: file) } catch {
      fail("GlueJournalTool: \(error)", EX_CANTCREAT)
    }
  }

  private static func cut(_ path: String) {
    do {
      let (count, loss) = try Directory(at: path).cutDamage()
      print("\(path): \(count) bytes were cut off, and kept in files beside:")
      print("  \(loss)")
      describe(path)
    } catch { fail("GlueJournalTool: \(error)", EX_NOINPUT) }
  }

  private static func fail(_ message: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(status)
  }
}
