/// The progress bar and the counts.
func progressRow(_ state: SearchState) -> Row {
  var row = Row(columns: state.size.columns)
  let progress = state.results.progress
  if state.results.phase == .idle {
    row.add("Type what to search for in \(name(of: state.directory)).", .faint)
    return row
  }
  if state.size.columns >= 60 { row.add(bar(for: state.results, columns: 20) + " ") }
  row.add("\(count(progress.matches, "match", "matches"))", .strong)
  if progress.matches > Results.limit { row.add(" (\(Results.limit) shown)") }
  row.add(" in \(progress.filesDone)/\(count(progress.filesKnown, "file", "files"))")
  if progress.binaries > 0 { row.add(", \(progress.binaries) binary", .faint) }
  if progress.failures > 0 { row.add(", \(progress.failures) unreadable", .faint) }
  return row
}

private func bar(for results: Results, columns: Int) -> String {
  let (done, known) = (results.progress.filesDone, results.progress.filesKnown)
  let share = known == 0 ? 0 : done * columns / known
  let filled = results.phase == .finished ? columns : min(share, columns - 1)
  return "[" + String(repeating: "#", count: filled)
    + String(repeating: ".", count: columns - filled) + "]"
}

private func count(_ number: Int, _ one: String, _ many: String) -> String {
  "\(number) \(number == 1 ? one : many)"
}

private func name(of directory: Path) -> String {
  directory.bytes.isEmpty ? "this directory" : safeText(directory.bytes)
}
