/// What the user can ask for by a key.
enum Command: Equatable {
  case send(SearchIntent)
  case quit
}
