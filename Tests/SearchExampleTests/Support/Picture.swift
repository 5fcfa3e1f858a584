import Foundation

/// The text of a terminal's rows after a program has written.
struct Picture {
  private(set) var rows: [Int: String] = [:]
  private var row = 1

  /// Understands the sequences that the program writes, where it clears a row before it writes one.
  init(of transcript: String) {
    for part in transcript.components(separatedBy: "\u{1B}[").dropFirst() {
      let parameters = part.prefix { "0123456789;?".contains($0) }
      let rest = part.dropFirst(parameters.count)
      switch rest.first {
      case "H": row = Int(parameters.prefix { $0 != ";" }) ?? 1
      case "K": rows[row] = ""
      case "J": rows = [:]
      default: break
      }
      rows[row, default: ""] += rest.dropFirst()
    }
  }
}
