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

  init(intents: Names<RecordedIntent>, effects: Names<RecordedEffect>) {
    self.intents = intents
    self.effects = effects
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  }

  func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

  func decode<Value: Decodable>(_ type: Value.Type, from piece: JSONPiece?) throws -> Value {
    guard let piece else { throw Undecodable(reason: "it is missing") }
    do { return try decoder.decode(type, from: piece.data) } catch let error as DecodingError {
      throw Undecodable(error)
    }
  }

  /// Writes an intent: `["name",value]`.
  func write(_ intent: any Intent, to line: inout LineBuffer) throws {
    guard let recorded = intents[typeOf: intent] else { throw Unnamed() }
    line.text("[")
    line.string(recorded.name)
    line.text(",")
    try recorded.write(intent, self, &line)
    line.text("]")
  }

  /// What was written as `["name",value]`.
  func intent(from piece: JSONPiece) throws -> any Intent {
    guard let parts = piece.elements, parts.count == 2, let name = parts[0].text else {
      throw Undecodable(reason: "an intent is written [\"name\",value]")
    }
    guard let recorded = intents[name] else {
      throw Undecodable(reason: "no intent is named \"\(name)\" in this format")
    }
    do { return try recorded.read(parts[1], self) } catch let error as Undecodable {
      throw Undecodable(reason: "intent \"\(name)\": \(error.reason)")
    }
  }

  /// Whether an intent has a name, and what is in it too.
  func names(_ intent: any Intent) -> Bool {
    intents[typeOf: intent].map { $0.namesInner(intent, self) } ?? false
  }
}

/// An intent's type has no name.
struct Unnamed: Error {}

/// Why something was not decoded.
struct Undecodable: Error {
  let reason: String

  init(reason: String) { self.reason = reason }

  init(_ error: DecodingError) {
    switch error {
    case .keyNotFound(let key, let context):
      self.init("there is no \"\(key.stringValue)\"", context)
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      self.init(context.debugDescription, context)
    @unknown default: self.init(reason: "\(error)")
    }
  }

  private init(_ reason: String, _ context: DecodingError.Context) {
    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    self.reason = path.isEmpty ? reason : "\(reason) (at \(path.joined(separator: ".")))"
  }
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
    for entry in byType where entry.type == type { return entry.element }
    return nil
  }
}
