import Foundation

@main
enum Program {
  private static let output = Output(STDOUT_FILENO)
  private static let errors = Output(STDERR_FILENO)

  static func main() {
    // As they were given: a `String` would replace what is not UTF-8.
    let arguments = UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)
    ).compactMap { $0.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } }
    do throws(SystemError) {
      try run(arguments.dropFirst()).end()
    } catch {
      fail(error.message).end()
    }
  }

  private static func run(_ arguments: ArraySlice<[UInt8]>) throws(SystemError) -> Ending {
    var rest = arguments
    let first = String(decoding: rest.first ?? [], as: UTF8.self)
    let option = first.hasPrefix("-") ? first : nil
    if option != nil { rest.removeFirst() }
    let page = option == "--inspect" && !rest.isEmpty ? Path(rest.removeFirst()) : nil
    if option == "--plain" || page != nil, rest.first?.elementsEqual("--".utf8) == true {
      rest.removeFirst()
    }
    switch (option, rest.count) {
    case ("-h", 0), ("--help", 0):
      output.write("\(help)\n")
      try output.check()
      return .status(EXIT_SUCCESS)
    case (nil, 0...1), ("--", 0...1): return try search(directory(rest.first))
    case ("--inspect", 0...1) where page != nil: return try search(directory(rest.first), page)
    case ("--plain", 1...2): return try plain(rest.removeFirst(), directory(rest.first))
    case (nil, _), ("--", _), ("--plain", _), ("--inspect", _), ("-h", _), ("--help", _):
      return fail("wrong number of arguments\n\(usage)")
    case (let option?, _): return fail("unknown option \(safeText(option.utf8))\n\(usage)")
    }
  }

  /// The directory that an argument names; without one, the working directory.
  private static func directory(_ argument: [UInt8]?) throws(SystemError) -> Path {
    if argument == [] { throw SystemError("search \"\"", code: ENOENT) }
    return argument.map { Path($0) } ?? .workingDirectory
  }

  private static func search(
    _ directory: Path, _ page: Path? = nil
  ) throws(SystemError) -> Ending {
    if Terminal.isUsable {
      guard let stream = directory.withCString(opendir) else {
        throw SystemError("search \(safeText(directory.bytes))")
      }
      closedir(stream)
      signal(SIGPIPE, SIG_IGN)
      let inspection = page.map(Inspection.init)
      let end = try Interactive(directory: directory, inspection).run()
      try inspection?.write()
      return end
    }
    if page != nil {
      return fail("without a terminal to draw on there is nothing to inspect\n\(usage)")
    }
    if isatty(STDIN_FILENO) == 1 {
      return fail("without a terminal to draw on, use --plain\n\(usage)")
    }
    var lines = LineReader()
    guard let pattern = try lines.next(), pattern.count <= LineReader.limit else {
      return fail("standard input has no pattern, or one longer than 64 KiB")
    }
    return try plain(pattern, directory)
  }

  private static func plain(_ pattern: [UInt8], _ directory: Path) throws(SystemError) -> Ending {
    if pattern.contains(newline) { return fail("a pattern is one line\n\(usage)") }
    return .status(Plain(pattern: pattern, directory: directory).run())
  }

  private static func fail(_ message: String) -> Ending {
    errors.write("SearchExample: \(message)\n")
    return .status(2)
  }
}
