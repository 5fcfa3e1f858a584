import Foundation

/// How the program ends, as its parent sees it.
enum Ending: Equatable {
  case status(ExitStatus)
  case signal(Int32)

  func end() -> Never {
    switch self {
    case .status(let status): exit(status.rawValue)
    case .signal(let number):
      takeDefaultAction(of: number)
      exit(128 + number)
    }
  }
}

/// The numbers are those of `sysexits.h`.
enum ExitStatus: Int32 {
  case success = 0
  case usage = 64
  case badInput = 65
  case ioError = 74
}
