/// What the terminal shows: rows from the top, and the place of the cursor.
struct Screen: Equatable {
  var rows: [Row]

  /// The column of the cursor, in the first row; the first column is 0.
  var cursor: Int

  /// What shows this state.
  init(_ state: SearchState) {
    let query = queryRow(state)
    let rows = [query, progressRow(state)] + resultRows(state) + [keysRow(state)]
    self.rows = Array(rows.prefix(max(state.size.rows, 0)))
    cursor = max(0, state.size.columns - max(query.columnsLeft, 1))
  }
}

/// The query, of a long one the end.
private func queryRow(_ state: SearchState) -> Row {
  let label = "Search: "
  var row = Row(columns: state.size.columns)
  row.add(label, .strong)
  row.add(end(of: safeText(state.query.utf8), columns: row.columnsLeft - 1))
  return row
}

private func keysRow(_ state: SearchState) -> Row {
  var row = Row(columns: state.size.columns)
  if let failure = state.failure {
    row.add(safeText(failure.utf8), .strong)
  } else {
    row.add("Up/Down: select   Enter: open   Esc: clear   Ctrl-C: quit", .faint)
  }
  return row
}
