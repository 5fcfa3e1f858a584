import TerminalSupport

/// Turns the results of one thread of a scan into lines of text, and prints those file by file.
struct LinePrinter: FileVisitor {
  private let printer: Printer
  private let errors: Output
  private var text: [UInt8] = []

  init(_ printer: Printer, errors: Output) {
    self.printer = printer
    self.errors = errors
  }

  mutating func found(_ line: FoundLine, in file: Path) {
    add(file.bytes)
    text += ":\(line.number):".utf8
    if line.isLong { return print(long: line) }
    add(line.text)
    text.append(newline)
    if text.count > 65_536 { flush() }
  }

  mutating func finished(_ file: Path, _ outcome: FileSearcher.Outcome) {
    flush()
  }

  mutating func failed(_ path: Path, _ error: SystemError) {
    flush()
    printer.noteError()
    errors.write("SearchExample: \(safeText(path.bytes)): \(error.reason)\n")
  }

  /// Prints a line that need not fit into memory, piece by piece.
  private mutating func print(long line: FoundLine) {
    printer.print { output in
      output.write(bytes: text)
      line.forEachPiece { output.write(bytes: printer.isSafe ? safe($0) : Array($0)) }
      output.write("\n")
    }
    text.removeAll(keepingCapacity: true)
  }

  private mutating func add(_ bytes: some Collection<UInt8>) {
    if printer.isSafe { text += safe(bytes) } else { text += bytes }
  }

  private func safe(_ bytes: some Collection<UInt8>) -> [UInt8] {
    Array(safeText(bytes).utf8)
  }

  private mutating func flush() {
    if text.isEmpty { return }
    printer.print { $0.write(bytes: text) }
    text.removeAll(keepingCapacity: true)
  }
}
