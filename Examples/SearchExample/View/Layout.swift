extension SearchState {
  /// How many rows the list of matches has: all but the query, the progress and the keys.
  var listRows: Int { max(size.rows - 3, 0) }
}
