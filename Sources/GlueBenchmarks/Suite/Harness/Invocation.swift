/// The request of a command line.
struct Invocation: Equatable {
  enum Mode: Equatable {
    case measure
    case list
    case help

    /// Does a number of operations of each subject, untimed.
    case repeating(Int)
  }

  var mode = Mode.measure

  /// The file for the report for machines.
  var jsonFile: String?

  /// The requested subjects; all if there are none.
  var filters: [String] = []

  /// - Throws: the error in the arguments.
  init(arguments: [String]) throws(BadArguments) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "-h", "--help": mode = .help
      case "--list": mode = .list
      case "--filter": filters.append(try value(of: option, from: &rest))
      case "--json": jsonFile = try value(of: option, from: &rest)
      case "--repeat": mode = .repeating(try number(of: option, from: &rest))
      default: throw BadArguments(message: "unknown argument \(option.debugDescription)")
      }
    }
  }

  /// Whether a subject is requested.
  func selects(_ path: String, among paths: [String]) -> Bool {
    filters.isEmpty
      || filters.contains { paths.contains($0) ? path == $0 : path.contains($0) }
  }
}

/// Invalid arguments.
struct BadArguments: Error, Equatable {
  let message: String
}

private func value(
  of option: String, from rest: inout ArraySlice<String>
) throws(BadArguments) -> String {
  guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
    throw BadArguments(message: "\(option) needs a value")
  }
  return value
}

private func number(
  of option: String, from rest: inout ArraySlice<String>
) throws(BadArguments) -> Int {
  let text = try value(of: option, from: &rest)
  guard let number = Int(text), number > 0 else {
    throw BadArguments(
      message: "\(option) needs a number above 0, not \(text.debugDescription)")
  }
  return number
}
