/// What the command line asks for.
enum Invocation: Equatable {
  case count
  case help
  case unknown(arguments: String)

  init(arguments: [String]) {
    switch arguments {
    case []: self = .count
    case ["-h"], ["--help"]: self = .help
    default: self = .unknown(arguments: arguments.joined(separator: " "))
    }
  }
}
