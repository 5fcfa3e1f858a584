import Foundation

/// How many random trials the tests make, and with which seeds.
package enum Trials {
  /// The first seed: 0, so that all trials are the same each time, unless `GLUE_FIRST_SEED` says
  /// another one, as `.ci/long` does.
  package static let firstSeed = UInt64(number("GLUE_FIRST_SEED", or: 0))

  /// Seeds from the first one.
  package static func seeds(_ count: Int) -> Range<UInt64> {
    firstSeed..<firstSeed + UInt64(count)
  }

  /// A variable that asks for more, or fewer, trials than usual.
  package static func number(_ variable: String, or usual: Int) -> Int {
    guard let text = ProcessInfo.processInfo.environment[variable] else { return usual }
    guard let number = Int(text), number >= 0 else {
      fatalError("\(variable)=\(text) is not a number from 0 on")
    }
    return number
  }
}
