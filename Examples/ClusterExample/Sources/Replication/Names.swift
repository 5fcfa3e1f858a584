import Foundation
public import Glue

/// An effect that the one owner of a cluster starts, whoever sent the intent that led to it.
///
/// It is kept with the state until an owner has done it, so it happens at least once.
public protocol OwnedEffect: Effect, Codable {}

/// The names by which intents and effects stand in the log.
///
/// An intent whose type has a name is shared; all others stay local. The names are yours and stay
/// the same when types are renamed. This is the one place that knows how a value becomes bytes.
public struct Names: Sendable {
  private let names: [ObjectIdentifier: Name]
  private let types: [String: Name]

  /// A type and its name.
  public struct Name: Sendable {
    fileprivate let name: String
    fileprivate let type: ObjectIdentifier
    fileprivate let encode: @Sendable (any Sendable) throws -> Data
    fileprivate let decode: @Sendable (Data) throws -> any Sendable

    /// Names a type of shared intents.
    public static func intent<I: Intent & Codable>(_ name: String, _ type: I.Type) -> Name {
      Name(name, type)
    }

    /// Names a type of effects that one owner starts.
    public static func effect<E: OwnedEffect>(_ name: String, _ type: E.Type) -> Name {
      Name(name, type)
    }

    private init<Value: Codable & Sendable>(_ name: String, _ type: Value.Type) {
      precondition(
        !name.isEmpty && !name.contains { $0.isWhitespace },
        "\"\(name)\" cannot be the name of \(type): it needs one word without spaces.")
      self.name = name
      self.type = ObjectIdentifier(type)
      encode = { value in
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value as! Value)
      }
      decode = { try JSONDecoder().decode(type, from: $0) }
    }
  }

  /// Makes the table of what is shared.
  ///
  /// - Parameter names: no type and no name twice.
  public init(_ names: Name...) {
    self.names = Dictionary(names.map { ($0.type, $0) }) { first, second in
      preconditionFailure("One type has the names \"\(first.name)\" and \"\(second.name)\".")
    }
    types = Dictionary(names.map { ($0.name, $0) }) { first, _ in
      preconditionFailure("Two types have the name \"\(first.name)\".")
    }
  }

  /// Whether values of this one's type stand in the log.
  func has(_ value: any Sendable) -> Bool {
    names[ObjectIdentifier(type(of: value))] != nil
  }

  /// One line: the name, a space, and the value as JSON.
  func line(of value: any Sendable) throws -> [UInt8] {
    guard let name = names[ObjectIdentifier(type(of: value))] else {
      throw Unnamed(description: "The type \(type(of: value)) has no name.")
    }
    return try Array("\(name.name) ".utf8) + name.encode(value)
  }

  /// The value of a line.
  func value(of line: some Collection<UInt8>) throws -> any Sendable {
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
    let name = String(decoding: parts.first ?? line[...], as: UTF8.self)
    guard parts.count == 2, let type = types[name] else {
      throw Unnamed(description: "No type has the name \"\(name)\".")
    }
    return try type.decode(Data(parts[1]))
  }

  struct Unnamed: Error, CustomStringConvertible {
    let description: String
  }
}
