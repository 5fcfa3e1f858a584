internal import Foundation
import Glue

/// A program's state, which is `Codable`.
///
/// The code that writes and reads journals is not generic over the state. Generic code of this
/// module isn't specialized for other modules, which cost a commit more than everything else.
typealias AnyState = any Sendable

func coded(_ state: AnyState) -> any Codable {
  guard let state = state as? any Codable else {
    preconditionFailure("a format's state must be Codable, and \(type(of: state)) is not")
  }
  return state
}

/// Casts a state that a format of `State` has read.
func typed<State>(_ state: AnyState) -> State {
  guard let state = state as? State else {
    preconditionFailure("a format reads only states of its own type, not \(type(of: state))")
  }
  return state
}

/// Encodes and decodes values of a program's types.
///
/// `@unchecked Sendable` is sound because only the initializer configures the coders, and each of
/// their calls makes its own mutable state.
final class Coding: @unchecked Sendable {
  let intents: [RecordedIntent]
  let effects: [RecordedEffect]
  let version: Int
  let formerProperties: [String]
  private let readState: @Sendable (JSON?, _ version: Int, Coding) throws -> AnyState
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  init(
    intents: [RecordedIntent], effects: [RecordedEffect], version: Int, formerProperties: [String],
    readState: @escaping @Sendable (JSON?, _ version: Int, Coding) throws -> AnyState
  ) {
    self.intents = intents
    self.effects = effects
    self.version = version
    self.formerProperties = formerProperties
    self.readState = readState
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  }

  /// - Throws: ``CodingFailure`` if the value can't be encoded as JSON. It never shows the value.
  func encode<Value: Encodable>(_ value: Value) throws(CodingFailure) -> Data {
    do {
      let json = try encoder.encode(value)
      guard json.withUnsafeBytes(holdsNaN), let path = JSON(Array(json)[...]).pathToNaN else {
        return json
      }
      // Other keys may be a dictionary's, which are values.
      let place = Mirror(reflecting: value).children.first { $0.label == path.first }?.label
      throw CodingFailure(
        "it holds a Decimal that is NaN, which JSON can't express"
          + (place.map { " (at \($0))" } ?? ""))
    } catch {
      let reason = reason(of: error)
      throw CodingFailure("a value of type \(Value.self) does not encode: \(reason)")
    }
  }

  func decode<Value: Decodable>(_ type: Value.Type, from json: JSON?) throws -> Value {
    guard let json else { throw CodingFailure("it is missing") }
    if let value = DirectDecoder.value(type, from: json) { return value }
    do { return try decoder.decode(type, from: Data(json.bytes)) } catch let error as DecodingError
    {
      throw unknownCase(in: json, error).map { CodingFailure($0) } ?? error
    }
  }

  func state(from json: JSON?, version: Int) throws -> AnyState {
    try readState(json, version, self)
  }

  func recoded(_ state: AnyState) throws -> AnyState {
    _ = try Digest.of(coded(state))
    var line = LineBuffer()
    try line.value(coded(state), self)
    return try self.state(from: JSON(line.bytes[...]), version: version)
  }

  /// Writes an intent: `["name",value]`.
  func write(_ intent: any Intent, to line: inout LineBuffer) throws {
    if intent is PathEnd { return line.add("[]") }
    guard let recorded = intents.first(of: type(of: intent)) else {
      throw CodingFailure("intents of type \(type(of: intent)) have no name in the format")
    }
    line.add("[", Quoted(recorded.name), ",")
    try recorded.write(intent, self, &line)
    line.add("]")
  }

  func intent(from json: JSON) throws -> any Intent {
    if json.elements?.isEmpty == true { return PathEnd() }
    guard let parts = json.elements, parts.count == 2, let name = parts[0].text else {
      throw CodingFailure("an intent is not [\"name\",value]")
    }
    guard let recorded = intents.first(named: name) else {
      throw CodingFailure("no intent is named \"\(name)\" in this format; \(newerProgram)")
    }
    return try within("intent \"\(recorded.name)\"") { try recorded.read(parts[1], self) }
  }
}

protocol Named: Sendable {
  var name: String { get }

  /// The type that the name stands for; nil if journals only read it.
  var type: ObjectIdentifier? { get }
}

// A linear search, because formats have few types, and comparing with each is faster than hashing.
extension Array where Element: Named {
  func first(named name: String?) -> Element? { first { $0.name == name } }

  func first(of type: Any.Type) -> Element? { first { $0.type == ObjectIdentifier(type) } }

  func contains(_ type: Any.Type) -> Bool { contains { $0.type == ObjectIdentifier(type) } }
}
