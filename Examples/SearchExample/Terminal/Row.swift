import Foundation
import GlueConsole

/// A row of a terminal's screen: styled text, as much as fits.
struct Row: Equatable, Sendable {
  enum Style { case plain, strong, faint, magenta, green, red }

  /// The bytes that make a terminal show the row.
  private(set) var text = ""

  private(set) var columnsLeft: Int

  private let isSelected: Bool

  /// - Parameters:
  ///   - columns: the columns of the terminal.
  ///   - isSelected: whether it is shown as selected.
  init(columns: Int, isSelected: Bool = false) {
    columnsLeft = columns
    self.isSelected = isSelected
  }

  /// Adds as much of a text as fits.
  ///
  /// The text must not control a terminal: see ``safeText(_:)``.
  mutating func add(_ added: String, _ style: Style = .plain) {
    let fitting = added.unicodeScalars.prefix {
      columnsLeft -= terminalColumns(of: $0)
      return columnsLeft >= 0
    }
    columnsLeft = max(columnsLeft, 0)
    if fitting.isEmpty { return }
    text += "\u{1B}[\(isSelected ? "7;" : "")\(style.code)m\(String(fitting))\u{1B}[0m"
  }
}

extension Row.Style {
  fileprivate var code: String {
    switch self {
    case .magenta where hasColors: "35"
    case .green where hasColors: "32"
    case .red where hasColors: "1;31"
    case .plain, .magenta, .green: "22"
    case .strong, .red: "1"
    case .faint: "2"
    }
  }
}

/// Whether the user accepts colors, by no-color.org.
private let hasColors = getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
