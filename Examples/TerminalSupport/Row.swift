import Foundation
import GlueConsole

/// A row of a terminal's screen: text in styles, as much of it as fits.
package struct Row: Equatable, Sendable {
  package enum Style { case plain, strong, faint, magenta, green, red }

  /// What makes a terminal show the row.
  package private(set) var text = ""

  package private(set) var columnsLeft: Int

  private let isSelected: Bool

  /// - Parameters:
  ///   - columns: how many the terminal has.
  ///   - isSelected: whether it is shown as what is selected.
  package init(columns: Int, isSelected: Bool = false) {
    columnsLeft = columns
    self.isSelected = isSelected
  }

  /// Adds as much of a text as fits.
  ///
  /// None of it may steer a terminal: see ``safeText(_:)``.
  package mutating func add(_ added: String, _ style: Style = .plain) {
    let fitting = added.unicodeScalars.prefix {
      columnsLeft -= width(of: $0)
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

/// Whether the user has not said that colors are unwanted, as no-color.org has it.
private let hasColors = getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
