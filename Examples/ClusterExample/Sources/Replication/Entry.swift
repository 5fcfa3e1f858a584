import Foundation
import Glue

/// What stands at one position of the log: the intents that one replica sent together.
///
/// As bytes it is a line of JSON, the header, and a line for each intent.
struct Entry: Sendable {
  var header: Header
  var intents: [any Intent] = []

  struct Header: Codable, Equatable, Sendable {
    /// One start of one replica.
    var sender: String

    /// 1, 2, 3 for each sender.
    ///
    /// An entry that was appended twice has the same number twice.
    var number: Int

    /// The version of the sender's reducer.
    var version: Int

    var act: Act?

    /// How far the sender had reduced the log, and what it had been shown.
    var seen: Seen?
  }

  /// What one replica was shown up to a position, to be compared with what another one was.
  struct Seen: Codable, Equatable, Sendable {
    var position: Position
    var digest: UInt64
  }

  /// What an entry does beside its intents.
  enum Act: Codable, Equatable, Sendable {
    /// The sender becomes the owner, if nobody has become it since that revision.
    case claim(after: Int)

    /// The owner of that revision has done the effect; the intents are what came of it.
    case done(OwedID, revision: Int)
  }

  static func bytes(_ header: Header, _ lines: [[UInt8]]) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return Array(([Array(try encoder.encode(header))] + lines).joined(separator: [newline]))
  }

  /// The header of an entry.
  ///
  /// It is read first: one of another version may not be understood.
  static func header(of bytes: [UInt8]) throws -> Header {
    try JSONDecoder().decode(Header.self, from: Data(bytes.prefix { $0 != newline }))
  }

}

extension Entry {
  init(_ bytes: [UInt8], names: Names) throws {
    header = try Entry.header(of: bytes)
    for line in bytes.split(separator: newline).dropFirst() {
      guard let intent = try names.value(of: line) as? any Intent else {
        throw Names.Unnamed(
          description: "\"\(String(decoding: line.prefix(50), as: UTF8.self))\" is no intent.")
      }
      intents.append(intent)
    }
  }
}

/// JSON as it is encoded here has none, so it can separate lines.
private let newline = UInt8(ascii: "\n")
