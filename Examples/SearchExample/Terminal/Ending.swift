import Foundation
import GlueConsole

/// The end of a program, as its parent sees it.
enum Ending: Equatable {
  case status(Int32)
  case signal(Int32)

  func end() -> Never {
    switch self {
    case .status(let status): exit(status)
    case .signal(let number):
      takeDefaultAction(of: number)
      exit(128 + number)
    }
  }
}
