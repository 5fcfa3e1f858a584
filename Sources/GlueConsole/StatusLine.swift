import Foundation

/// The last line of a terminal, which is erased and redrawn around other text.
struct StatusLine {
  private static let erasing = "\r\u{1B}[K"

  /// Its text; nil if there is none.
  private(set) var text: String?

  /// Whether it must be drawn when the terminal takes text.
  var isStale = false

  private let descriptor: Int32
  let isPossible: Bool

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isPossible = isatty(descriptor) == 1 && getenv("TERM").map { strcmp($0, "dumb") } != 0
  }

  mutating func show(_ text: String?) {
    isStale = isPossible && (text != nil || self.text != nil)
    if isPossible { self.text = text }
  }

  /// The text that draws it, without wrapping: a part of a line that wrapped would stay.
  mutating func drawing() -> String {
    isStale = false
    guard let text else { return Self.erasing }
    var size = winsize()
    _ = ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    let columns = size.ws_col > 0 ? Int(size.ws_col) : Int.max
    return "\(Self.erasing)\u{1B}[?7l\(terminalBeginning(of: text, columns: columns))\u{1B}[?7h"
  }

  /// The text that erases it, before other text is written.
  mutating func erasure() -> String {
    if text == nil { return "" }
    isStale = true
    return Self.erasing
  }
}
