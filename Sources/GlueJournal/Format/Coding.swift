internal import Foundation
import Glue

/// Encodes and decodes what a program's types make of themselves.
///
/// `@unchecked Sendable` is sound because the coders are set up here and not changed afterwards, and
/// each call of theirs makes what varies anew.
final class Coding: @unchecked Sendable {
  let intents: Names<RecordedIntent>
  let effects: Names<RecordedEffect>
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  init(intents: [RecordedIntent], effects: [RecordedEffect]) {
    self.intents = Names(intents)
    self.effects = Names(effects)
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  }

  func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

  func decode<Value: Decodable>(_ type: Value.Type, from piece: JSONPiece?) throws -> Value {
    guard let piece else { throw Unreadable("it is missing") }
    return try decoder.decode(type, from: Data(piece.bytes))
  }

  /// Writes an intent: `["name",value]`.
  func write(_ intent: any Intent, to line: inout LineBuffer) throws {
    guard let recorded = intents[typeOf: intent] else {
      throw Unreadable("intents of type \(type(of: intent)) have no name in the format")
    }
    line.text("[")
    line.json(recorded.quotedName)
    line.text(",")
    try recorded.write(intent, self, &line)
    line.text("]")
  }

  /// What was written as `["name",value]`.
  func intent(from piece: JSONPiece) throws -> any Intent {
    guard let parts = piece.elements, parts.count == 2, let name = parts[0].text else {
      throw Unreadable("an intent is written [\"name\",value]")
    }
    guard let recorded = intents[name] else {
      throw Unreadable("no intent is named \"\(name)\" in this format")
    }
    return try within("intent \"\(name)\"") { try recorded.read(parts[1], self) }
  }
}

/// Why something cannot be read or written.
struct Unreadable: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

/// An intent did not encode.
struct UnwritableIntent: Error {
  let reason: String
}

/// Says of what it was, if something cannot be read.
func within<Result>(
  _ place: @autoclosure () -> String, _ body: () throws -> Result
) throws -> Result {
  do { return try body() } catch { throw Unreadable("\(place()): \(reason(of: error))") }
}

/// An error in words, with the coding path where it has one.
func reason(of error: any Error) -> String {
  switch error {
  case let error as Unreadable: error.reason
  case let error as UnwritableIntent: error.reason
  case DecodingError.keyNotFound(let key, let context):
    words("there is no \"\(key.stringValue)\"", context.codingPath)
  case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
    DecodingError.dataCorrupted(let context):
    words(context.debugDescription, context.codingPath)
  default: "\(error)"
  }
}

private func words(_ reason: String, _ path: [any CodingKey]) -> String {
  if path.isEmpty { return reason }
  let keys = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
  return "\(reason) (at \(keys.joined(separator: ".")))"
}

/// Something that a format gives a name.
protocol Named: Sendable {
  var name: String { get }

  /// The type of what it names now; nil for what is only read.
  var type: ObjectIdentifier? { get }
}

/// What has names, found by these and by types.
struct Names<Element: Named>: Sendable {
  private let byName: [String: Element]
  private let byType: [(type: ObjectIdentifier, element: Element)]

  init(_ elements: [Element]) {
    byName = Dictionary(elements.map { ($0.name, $0) }) { first, _ in
      stopForNameGivenTwice(first.name)
    }
    byType = elements.compactMap { element in element.type.map { ($0, element) } }
    if Set(byType.map(\.type)).count < byType.count { stopForTypeNamedTwice(elements.map(\.name)) }
  }

  var isEmpty: Bool { byName.isEmpty }

  subscript(name: String) -> Element? { byName[name] }

  /// Types are few, so that comparing with each is faster than hashing.
  subscript(typeOf value: any Sendable) -> Element? {
    let type = ObjectIdentifier(Swift.type(of: value as Any))
    return byType.first { $0.type == type }?.element
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
