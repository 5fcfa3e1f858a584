import GlueConsole

/// The terminal's content: rows from the top, and the column of the cursor in the first one.
struct Screen: Equatable {
  var rows: [Row]
  var cursor: Int

  /// The screen of this state.
  init(_ state: SearchState) {
    let query = queryRow(state)
    let rows = [query, progressRow(state)] + resultRows(state) + [keysRow(state)]
    self.rows = Array(rows.prefix(max(state.size.rows, 0)))
    cursor = max(0, state.size.columns - max(query.columnsLeft, 1))
  }
}

/// The query, or the end of a long one.
private func queryRow(_ state: SearchState) -> Row {
  var row = Row(columns: state.size.columns)
  row.add("Search: ", .strong)
  row.add(terminalEnd(of: safeText(state.query.utf8), columns: row.columnsLeft - 1))
  return row
}

/// The progress bar and the counts.
private func progressRow(_ state: SearchState) -> Row {
  var row = Row(columns: state.size.columns)
  let (results, progress) = (state.results, state.results.progress)
  if results.phase == .idle {
    let name = state.directory.bytes
    row.add("Type what to search for in ", .faint)
    row.add(name.isEmpty ? "this directory." : "\(safeText(name)).", .faint)
    return row
  }
  if state.size.columns >= 60 { row.add(bar(for: results, columns: 20) + " ") }
  row.add("\(count(progress.matches, "match", "matches"))", .strong)
  if progress.matches > Results.limit { row.add(" (\(Results.limit) shown)") }
  row.add(" in \(progress.filesDone)/\(count(progress.filesKnown, "file", "files"))")
  if progress.binaries > 0 { row.add(", \(progress.binaries) binary", .faint) }
  if progress.failures > 0 { row.add(", \(progress.failures) unreadable", .faint) }
  return row
}

private func bar(for results: Results, columns: Int) -> String {
  let progress = results.progress
  let filled =
    switch results.phase {
    case .idle, .waiting: 0
    case .searching: min(progress.filesDone * columns / max(progress.filesKnown, 1), columns - 1)
    case .finished: columns
    }
  return "[" + String(repeating: "#", count: filled)
    + String(repeating: ".", count: columns - filled) + "]"
}

private func count(_ number: Int, _ one: String, _ many: String) -> String {
  "\(number) \(number == 1 ? one : many)"
}

private func keysRow(_ state: SearchState) -> Row {
  var row = Row(columns: state.size.columns)
  let keys = "Up/Down: select   Enter: open   Esc: clear   Ctrl-C: quit"
  row.add(safeText((state.failure ?? keys).utf8), state.failure == nil ? .faint : .strong)
  return row
}
