import Glue

/// What can happen.
enum SearchIntent: Intent, Equatable {
  /// Text was typed at the end of the query.
  case type(String)

  /// The last character of the query was erased.
  case erase

  /// The query was cleared.
  case clear

  /// The selection was moved down by so many matches, or up.
  case move(Int)

  /// The selection was moved down by so many pages, or up.
  case movePage(Int)

  /// The selected match was chosen.
  case open

  /// The program that was to show a match could not.
  case failToOpen(String)

  /// The terminal has that size.
  case resize(Size)

  /// The search goes on.
  case report(Report)

  /// The search is over.
  case finish(Report)
}
