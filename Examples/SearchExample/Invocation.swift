/// What the command line asks for.
enum Invocation: Equatable {
  case search(Path)
  case plain(Query)
  case help
  case misuse(String)

  /// - Parameter arguments: what follows the program's name, as bytes, for neither paths nor
  ///   patterns need to be UTF-8.
  init(arguments: [[UInt8]]) {
    switch arguments.first.map({ String(decoding: $0, as: UTF8.self) }) {
    case "-h", "--help": self = .help
    case "--plain": self = .init(plain: arguments.dropFirst())
    case "--": self = .init(directories: arguments.dropFirst()) { .search($0) }
    case let option? where option.hasPrefix("-"):
      self = .misuse("unknown option \(safeText(option.utf8))")
    default: self = .init(directories: arguments[...]) { .search($0) }
    }
  }

  private init(plain arguments: ArraySlice<[UInt8]>) {
    guard let pattern = arguments.first else {
      self = .misuse("--plain needs a pattern")
      return
    }
    if pattern.contains(newline) {
      self = .misuse("a pattern is one line")
      return
    }
    let directories = arguments.dropFirst()
    self = .init(directories: directories) { .plain(Query(pattern: pattern, directory: $0)) }
  }

  private init(directories: ArraySlice<[UInt8]>, _ invocation: (Path) -> Invocation) {
    switch (directories.count, directories.first) {
    case (0, _): self = invocation(.workingDirectory)
    case (1, let directory?) where !directory.isEmpty: self = invocation(Path(directory))
    case (1, _): self = .misuse("the name of a directory is not empty")
    default: self = .misuse("there is more than one directory")
    }
  }
}
