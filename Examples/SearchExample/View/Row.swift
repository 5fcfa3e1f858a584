/// A row of the screen: pieces of text, each in a style, that fit into its columns.
struct Row: Equatable {
  enum Style { case plain, strong, faint, file, number, match }

  struct Piece: Equatable {
    var text: String
    var style: Style
  }

  /// Whether it is shown as what is selected.
  var isSelected = false

  private(set) var pieces: [Piece] = []
  private(set) var columnsLeft: Int

  init(columns: Int) {
    columnsLeft = columns
  }

  /// Adds as much of the text as fits.
  ///
  /// None of it may steer a terminal: see `safeText`.
  mutating func add(_ text: String, _ style: Style = .plain) {
    var fitting = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let columns = width(of: scalar)
      if columns > columnsLeft {
        columnsLeft = 0
        break
      }
      columnsLeft -= columns
      fitting.append(scalar)
    }
    if !fitting.isEmpty { pieces.append(Piece(text: String(fitting), style: style)) }
  }
}
