import Glue

/// Decides what each intent changes, and what is to be done.
func searchReducer(state: inout SearchState, intent: SearchIntent) -> [any Effect] {
  switch intent {
  case .type(let text):
    state.query += text
    return state.beginSearch()
  case .erase:
    _ = state.query.popLast()
    return state.beginSearch()
  case .clear:
    state.query = ""
    return state.beginSearch()
  case .open:
    return state.results.selected.map { [OpenEffect(file: $0.file, line: $0.line)] } ?? []
  default:
    state.change(by: intent)
    return []
  }
}

extension SearchState {
  /// How long nothing may be typed before a search begins.
  static let pause = Duration.milliseconds(150)

  /// Begins anew: the policy cancels what runs at once, for what that still finds is not wanted.
  fileprivate mutating func beginSearch() -> [any Effect] {
    results = Results()
    failure = nil
    if query.isEmpty { return [CancelEffects(id: EffectGroup.search)] }
    results.phase = .searching
    let search = SearchEffect(directory: directory, text: query)
    return [search.scheduled(.debounce(SearchState.pause), id: EffectGroup.search)]
  }

  /// Does what has no effects.
  fileprivate mutating func change(by intent: SearchIntent) {
    switch intent {
    case .type, .erase, .clear, .open: break
    case .move(let offset): move(by: offset)
    case .movePage(let pages): move(by: pages * max(listRows, 1))
    case .failToOpen(let message): failure = message
    case .resize(let size):
      self.size = size
      results.scroll(listRows: listRows)
    case .report(let report): results.add(report)
    case .finish(let report):
      results.add(report)
      results.phase = .finished
    }
  }

  private mutating func move(by offset: Int) {
    failure = nil
    results.move(by: offset, listRows: listRows)
  }
}
