import Glue

/// Searches the files below a directory.
struct SearchEffect: Effect, Equatable {
  var directory: Path
  var text: String
}

/// Shows a line of a file in the user's editor or pager.
struct OpenEffect: Effect, Equatable {
  var file: Path
  var line: Int
}

/// What effects share, so that one cancels the others.
enum EffectGroup: Hashable {
  case search
}
