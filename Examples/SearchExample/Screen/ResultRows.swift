import GlueConsole

/// The visible matches, one a row, and empty rows below them.
func resultRows(_ state: SearchState) -> [Row] {
  let results = state.results
  let shown = results.matches.indices.dropFirst(results.top).prefix(state.listRows)
  let rows = shown.map { index in
    var row = Row(columns: state.size.columns, isSelected: index == results.selection)
    row.add(results.matches[index], highlighting: Array(state.query.utf8))
    return row
  }
  return rows + Array(repeating: Row(columns: 0), count: state.listRows - rows.count)
}

extension Row {
  fileprivate mutating func add(_ match: Match, highlighting pattern: [UInt8]) {
    add(terminalEnd(of: safeText(match.file.bytes), columns: columnsLeft / 2), .magenta)
    add(":")
    add("\(match.line)", .green)
    add(": ")
    add(match.text.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }, pattern)
  }

  /// Adds a text with all matches highlighted, and the first one in view.
  private mutating func add(_ text: ArraySlice<UInt8>, _ pattern: [UInt8]) {
    var rest = text
    while let range = rest.firstRange(of: pattern), !range.isEmpty, columnsLeft > 0 {
      let matching = safeText(rest[range])
      let room = max(columnsLeft - terminalColumns(of: matching), columnsLeft / 2)
      let before = safeText(rest[..<range.lowerBound])
      add(rest.startIndex == text.startIndex ? terminalEnd(of: before, columns: room) : before)
      add(matching, .red)
      rest = rest[range.upperBound...]
    }
    add(safeText(rest))
  }
}
