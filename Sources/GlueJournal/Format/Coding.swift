internal import Foundation
import Glue

/// The state of a program, which is `Codable`.
///
/// What writes and reads journals is not generic in its type: it is in a module of its own, where it
/// would not be specialised, which cost a commit more than all else.
typealias AnyState = any Sendable

/// A state, to be encoded.
func coded(_ state: AnyState) -> any Codable {
  guard let state = state as? any Codable else {
    preconditionFailure("a format is of a state that is Codable, and not \(type(of: state))")
  }
  return state
}

/// Encodes and decodes what a program's types make of themselves.
///
/// `@unchecked Sendable` is sound because the coders are set up here and not changed afterwards, and
/// each call of theirs makes what varies anew.
final class Coding: @unchecked Sendable {
  let intents: Names<RecordedIntent>
  let effects: Names<RecordedEffect>

  /// The version of the states that are written.
  let version: Int
  private let readState: @Sendable (JSONPiece?, _ version: Int, Coding) throws -> AnyState
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  init(
    intents: [RecordedIntent], effects: [RecordedEffect], version: Int,
    readState: @escaping @Sendable (JSONPiece?, _ version: Int, Coding) throws -> AnyState
  ) {
    self.intents = Names(intents)
    self.effects = Names(effects)
    self.version = version
    self.readState = readState
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  }

  /// Encodes a value.
  ///
  /// - Throws: ``Unwritable`` if it can't be encoded as JSON, without a word of what is in it.
  func encode<Value: Encodable>(_ value: Value) throws(Unwritable) -> Data {
    do {
      let json = try encoder.encode(value)
      if let path = pathToBareToken(in: json) {
        throw Unwritable("it holds a Decimal that is NaN, which JSON can't express", at: path)
      }
      return json
    } catch {
      let reason = reason(of: error, isBare: true)
      throw Unwritable("a value of type \(Value.self) does not encode: \(reason)")
    }
  }

  func decode<Value: Decodable>(_ type: Value.Type, from piece: JSONPiece?) throws -> Value {
    guard let piece else { throw Unreadable("it is missing") }
    return try decoder.decode(type, from: Data(piece.bytes))
  }

  /// A state that was written in a version, as one of today's.
  func state(from piece: JSONPiece?, version: Int) throws -> AnyState {
    try readState(piece, version, self)
  }

  /// Writes an intent: `["name",value]`.
  func write(_ intent: any Intent, to line: inout LineBuffer) throws {
    guard let recorded = intents[type(of: intent)] else {
      throw Unwritable("intents of type \(type(of: intent)) have no name in the format")
    }
    line.text("[")
    line.quoted(recorded.name)
    line.text(",")
    try recorded.write(intent, self, &line)
    line.text("]")
  }

  /// What was written as `["name",value]`.
  func intent(from piece: JSONPiece) throws -> any Intent {
    guard let parts = piece.elements, parts.count == 2 else {
      throw Unreadable("an intent is written [\"name\",value]")
    }
    guard let recorded = intents[parts[0]] else {
      throw Unreadable("no intent is named \(parts[0].description) in this format")
    }
    return try within("intent \"\(recorded.name)\"") { try recorded.read(parts[1], self) }
  }
}

/// Why something cannot be read.
struct Unreadable: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

/// Why a value cannot be written: the program has to change, and not the disk.
struct Unwritable: Error {
  let reason: String
  init(_ reason: String, at path: [String] = []) { self.reason = words(reason, path) }
}

/// An intent does not encode, which the state makes up for.
struct UnwritableIntent: Error {
  let reason: String
}

/// Says of what it was, if something cannot be read.
func within<Result>(
  _ place: @autoclosure () -> String, _ body: () throws -> Result
) throws -> Result {
  do { return try body() } catch { throw Unreadable("\(place()): \(reason(of: error))") }
}

/// An error in words, with the coding path where it has one; a bare one without what coders say, for
/// that may show values.
func reason(of error: any Error, isBare: Bool = false) -> String {
  switch error {
  case let error as Unreadable: error.reason
  case let error as Unwritable: error.reason
  case let error as UnwritableIntent: error.reason
  case EncodingError.invalidValue(_, let context):
    words("its coding throws EncodingError", names(context.codingPath))
  case DecodingError.keyNotFound(let key, let context):
    words("there is no \"\(key.stringValue)\"", names(context.codingPath))
  case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
    DecodingError.dataCorrupted(let context):
    words(
      isBare ? "its coding throws DecodingError" : context.debugDescription,
      names(context.codingPath))
  default: isBare ? "its coding throws \(type(of: error))" : "\(error)"
  }
}

/// What helps, if this has kept a journal from being written.
func cure(of error: any Error) -> String {
  (error as? JournalError)?.cure ?? "Change the program so that all it records encodes"
}

private func words(_ reason: String, _ path: [String]) -> String {
  path.isEmpty ? reason : "\(reason) (at \(path.joined(separator: ".")))"
}

private func names(_ path: [any CodingKey]) -> [String] {
  path.map { $0.intValue.map(String.init) ?? $0.stringValue }
}

/// Something that a format gives a name.
protocol Named: Sendable {
  var name: String { get }

  /// The type of what it names now; nil for what is only read.
  var type: ObjectIdentifier? { get }
}

/// What has names, found by these and by types.
struct Names<Element: Named>: Sendable {
  private let elements: [Element]

  init(_ elements: [Element]) {
    self.elements = elements
    for (index, element) in elements.enumerated() {
      for other in elements[..<index] {
        if other.name == element.name { stopForNameGivenTwice(element.name) }
        if other.type != nil && other.type == element.type {
          stopForTypeNamedTwice(elements.map(\.name))
        }
      }
    }
  }

  var isEmpty: Bool { elements.isEmpty }

  // They are few, so that comparing with each is faster than hashing.

  subscript(name: JSONPiece) -> Element? { elements.first { name.isText($0.name) } }

  subscript(type: Any.Type) -> Element? {
    elements.first { $0.type == ObjectIdentifier(type) }
  }

  func contains(_ type: Any.Type) -> Bool {
    elements.contains { $0.type == ObjectIdentifier(type) }
  }
}

private func stopForNameGivenTwice(_ name: String) -> Never {
  fatalError(
    """
    Glue: a JournalFormat names two types "\(name)"; what is read could not be told apart.
      Wrong: intents: [.named("todo", TodoIntent.self), .named("todo", ListIntent.self)]
      Right: intents: [.named("todo", TodoIntent.self), .named("list", ListIntent.self)]
    """)
}

private func stopForTypeNamedTwice(_ names: [String]) -> Never {
  fatalError(
    """
    Glue: a JournalFormat names one type twice, among \(names.joined(separator: ", ")); how it is \
    written would be left to chance.
      Wrong: intents: [.named("todo", TodoIntent.self), .named("task", TodoIntent.self)]
      Right: intents: [.named("task", TodoIntent.self), .formerly("todo", TodoIntent.self) { $0 }]
    """)
}
