import Foundation
import GlueJournal

private let usage = "Usage: GlueJournalTool DIRECTORY | FILE [--export FILE | --cut]"

private let help = """
  \(usage)

  Says what is in the journal of a DIRECTORY, or in a FILE that was exported: its states and
  commits, how large they are, since when, and whether it is whole. It changes nothing, and
  may be used while a program writes the journal.

    --export FILE   write all that is recorded into one file; what is private stays in it
    --cut           cut off a damaged record of a log and all behind it, which are kept in
                    files beside; no program may have the journal open

  Exit status:
    0    the journal is whole
    1    it is damaged
    64   unknown arguments
    66   there is no journal, or it cannot be read or cut
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
      print("\(path): \(try Directory(at: path).cutDamage()) bytes were cut off and kept beside")
      describe(path)
    } catch { fail("GlueJournalTool: \(error)", EX_NOINPUT) }
  }

  private static func fail(_ message: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(status)
  }
}
