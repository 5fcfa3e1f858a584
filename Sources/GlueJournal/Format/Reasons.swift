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

/// The likely cause of an unknown name or case, and the cure.
let newerProgram = "a newer program may have written it: start that one"

/// The reason for an error that means that an enumeration has no case of the recorded name; nil for
/// any other error.
///
/// It shows the name, which a type declares, if the value is written as the compiler's coding writes
/// a case.
func unknownCase(in json: JSON, _ error: DecodingError) -> String? {
  guard case .typeMismatch(let type, let context) = error,
    context.debugDescription.hasPrefix("Invalid number of keys found, expected one"),
    let cases = json.part(at: context.codingPath)?.members?.all, cases.count == 1,
    cases[0].1.members != nil
  else { return nil }
  return words(
    "\(type) has no case \"\(cases[0].0)\"; \(newerProgram)", context.codingPath)
}

extension JSON {
  fileprivate func part(at path: [any CodingKey]) -> JSON? {
    var part: JSON? = self
    for key in path {
      part =
        if let elements = part?.elements, let index = key.intValue {
          elements.indices.contains(index) ? elements[index] : nil
        } else {
          part?.members?.all.last { $0.0 == key.stringValue }?.1
        }
    }
    return part
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
