import Glue

/// Decides what each intent changes, and its effects.
func searchReducer(state: inout SearchState, intent: SearchIntent) -> [any Effect] {
  switch intent {
  case .type(let text):
    let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")  // If it was pasted.
    return state.search(for: state.query + line)
  case .erase:
    return state.search(for: String(state.query.dropLast()))
  case .clear:
    return state.search(for: "")
  case .move(let offset):
    state.move(by: offset)
  case .movePage(let pages):
    state.move(by: pages * max(state.listRows, 1))
  case .open:
    state.isOpening = true
    return state.openIfAsked()
  case .failToOpen(let message):
    state.failure = message
  case .resize(let size):
    state.size = size
    state.results.move(by: 0, listRows: state.listRows)
  case .report(let report):
    state.results.add(report, .searching)
    return state.openIfAsked()
  case .finish(let report):
    state.results.add(report, .finished)
    return state.openIfAsked()
  }
  return []
}

extension SearchState {
  /// Begins a search; the last one's matches stay until new ones come.
  ///
  /// The policy cancels that one at once, because its further matches are not wanted.
  fileprivate mutating func search(for query: String) -> [any Effect] {
    self.query = query
    (failure, isOpening) = (nil, false)
    if query.isEmpty {
      results = Results()
      return [CancelEffects(id: "search")]
    }
    results.phase = .waiting
    let search = SearchEffect(directory: directory, text: query)
    return [search.scheduled(.debounce(.milliseconds(150)), id: "search")]
  }

  fileprivate mutating func move(by offset: Int) {
    (failure, isOpening) = (nil, false)
    results.move(by: offset, listRows: listRows)
  }

  /// Opens the selected match, if one of this query exists and Enter was typed.
  ///
  /// A fast typist presses Enter before anything is found, and means the first match.
  fileprivate mutating func openIfAsked() -> [any Effect] {
    if !isOpening || results.phase == .waiting { return [] }
    let match = results.selected
    isOpening = match == nil && results.phase == .searching
    return match.map { [OpenEffect(file: $0.file, line: $0.line)] } ?? []
  }
}
