/// Why something cannot be read or written: the program has to change, and not the disk.
struct CodingFailure: Error {
  let reason: String

  /// Whether it is of writing an intent, which the state makes up for.
  let isOfIntent: Bool

  init(_ reason: String, isOfIntent: Bool = false) {
    self.reason = reason
    self.isOfIntent = isOfIntent
  }
}

/// Says of what it was, if something cannot be read.
func within<Result>(
  _ place: @autoclosure () -> String, _ body: () throws -> Result
) throws -> Result {
  do { return try body() } catch { throw CodingFailure("\(place()): \(reason(of: error))") }
}

/// An error in words, with the coding path where it has one; a bare one without what coders say, for
/// that may show values.
func reason(of error: any Error, isBare: Bool = false) -> String {
  switch error {
  case let error as CodingFailure: error.reason
  case EncodingError.invalidValue(_, let context):
    words("its coding throws EncodingError", context.codingPath)
  case DecodingError.keyNotFound(let key, let context):
    words("there is no \"\(key.stringValue)\"", context.codingPath)
  case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
    DecodingError.dataCorrupted(let context):
    words(isBare ? "its coding throws DecodingError" : context.debugDescription, context.codingPath)
  default: isBare ? "its coding throws \(type(of: error))" : "\(error)"
  }
}

private func words(_ reason: String, _ path: [any CodingKey]) -> String {
  let names = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
  return names.isEmpty ? reason : "\(reason) (at \(names.joined(separator: ".")))"
}
