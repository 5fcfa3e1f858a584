/// The reason why a value can't be read or written.
///
/// The cure is in the program, not the disk.
struct CodingFailure: Error {
  let reason: String

  /// Whether an intent failed to encode, for which the state can be recorded instead.
  let isOfIntent: Bool

  init(_ reason: String, isOfIntent: Bool = false) {
    self.reason = reason
    self.isOfIntent = isOfIntent
  }
}

/// Adds the place to a thrown error.
func within<Result>(
  _ place: @autoclosure () -> String, _ body: () throws -> Result
) throws -> Result {
  do { return try body() } catch { throw CodingFailure("\(place()): \(reason(of: error))") }
}

/// Describes an error, with its coding path if it has one.
///
/// It leaves out the texts of coders and of a program's own errors, because they may show values. So
/// may the keys of dictionaries.
func reason(of error: any Error) -> String {
  switch error {
  case let error as CodingFailure: error.reason
  case let error as JournalError: error.description
  case EncodingError.invalidValue(_, let context):
    words("its coding throws EncodingError", context.codingPath)
  case DecodingError.keyNotFound(let key, let context):
    words("\"\(name(of: key))\" is missing", context.codingPath)
  case DecodingError.typeMismatch(let type, let context),
    DecodingError.valueNotFound(let type, let context):
    words("\(type) was expected", context.codingPath)
  case DecodingError.dataCorrupted(let context):
    words("its coding throws DecodingError", context.codingPath)
  default: "its coding throws \(type(of: error))"
  }
}

private func words(_ reason: String, _ path: [any CodingKey]) -> String {
  path.isEmpty ? reason : "\(reason) (at \(path.map(name).joined(separator: ".")))"
}

/// A key of a program's type, or an index; `*` for any other key, such as a dictionary's.
private func name(of key: any CodingKey) -> String {
  if let index = key.intValue, key.stringValue == "Index \(index)" { return "\(index)" }
  // The keys that a type declares are the cases of an enumeration, without values.
  let mirror = Mirror(reflecting: key)
  return mirror.displayStyle == .enum && mirror.children.isEmpty ? key.stringValue : "*"
}
