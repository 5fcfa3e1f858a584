import Foundation
import Glue
import GlueConsole

let help = """
  Usage: CaseStudies [NAME | -h | --help]

  Shows features that people know, one at a time. Each is a file of Examples/CaseStudies/Studies,
  which says what it teaches.

    NAME   begins with this study instead of the list

  On a terminal, keys act at once. Esc returns to the list, Ctrl-C quits.

  Otherwise, each line of input is a key, or a text that is typed, and an empty line is Enter.
  Each state is printed as a line. The end of the input ends the program.

  Exit status: 0; 1 if a line was no key; 64 for unknown arguments.

  """

@main
enum Program {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let study = studies.first { [$0.name] == arguments }
    if arguments == ["-h"] || arguments == ["--help"] {
      print(help, list.joined(separator: "\n"), separator: "\n")
    } else if !arguments.isEmpty && study == nil {
      refuse(arguments)
    } else if Console.isInteractive {
      await browse(from: study, on: Console())
    } else if let study {
      await runLines(of: study, on: Console())
    } else {
      print(list.joined(separator: "\n"))
    }
  }

  private static func refuse(_ arguments: [String]) -> Never {
    let console = Console()
    console.writeError("CaseStudies: no study \(arguments.joined(separator: " ").debugDescription)")
    for line in list { console.writeError(line) }
    exit(EX_USAGE)
  }

  /// Lets a user choose studies, on a terminal.
  private static func browse(from study: Study?, on console: Console) async {
    let store = Store(
      state: Gallery(), reducer: gallery,
      handlers: { handlers in handlers.add(effectHandler: Player(on: console)) })
    store.dispatch(GalleryIntent.show(study?.name))
    console.readKeys { store.dispatch(GalleryIntent.press($0)) }
    await console.run(store).exit()
  }

  /// Runs one study with lines as its keys, and prints its states as lines.
  private static func runLines(of study: Study, on console: Console) async {
    let open = study.open { console.write($0.joined(separator: " | ")) }
    console.readLines { line, number in
      if open.press(line.isEmpty ? .enter : .text(line)) { return }
      console.writeError(
        "CaseStudies: line \(number): \(line.debugDescription) is no key; \(study.keys)")
    }
    await open.run(console).exit()
  }
}
