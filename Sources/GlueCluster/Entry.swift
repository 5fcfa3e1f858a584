import Foundation
import Glue
import GlueJournal

/// What one replica sent together, at one position of the log.
///
/// As bytes it is a line of JSON, the header, and a line for each intent, as the format writes it.
struct Entry: Sendable {
  var header: Header
  var intents: [any Intent] = []

  struct Header: Codable, Equatable, Sendable {
    /// One start of one replica.
    var sender: String

    /// The label that the replica keeps when it starts again.
    var replica: String

    /// 1, 2, 3 for each sender; an entry that was appended twice has the same number twice.
    var number: Int

    /// The newest version that the sender's program knows (U3).
    var knows: Int

    /// The version that the intents require; nil for any (U2).
    var needs: Int?

    /// The version that the log begins with, where the sender had read no entry.
    var begins: Int?

    var act: Act?

    /// How far the sender had read when it gave the entry its number, and what it was shown (S1).
    var seen: Seen
  }

  /// What one replica was shown up to a position, to be compared with what another one was.
  struct Seen: Codable, Equatable, Sendable {
    var position = 0
    var digest: UInt64 = 0
  }

  /// What an entry does beside its intents.
  enum Act: Codable, Equatable, Sendable {
    /// The sender becomes the owner, if no other has since that revision.
    case claim(after: Int)

    /// The owner of that revision has done the effect; the intents are what came of it.
    case done(OwedID, revision: Int)

    /// The sender has ended.
    case gone

    /// The next version is in force from here on, if all replicas know it but those named.
    case upgrade(to: Int, without: [String])

    /// The sender keeps a snapshot of that position.
    case kept(Position, version: Int, StateDigest?)

    /// The sender's state differs from another one's.
    case differs
  }

  static func bytes(_ header: Header, _ lines: [[UInt8]]) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(([Array(try encoder.encode(header))] + lines).joined(separator: [newline]))
  }

  static func header(of bytes: [UInt8]) throws -> Header {
    try JSONDecoder().decode(Header.self, from: Data(bytes.prefix { $0 != newline }))
  }

  static func intents<State>(
    in bytes: [UInt8], _ format: JournalFormat<State>
  ) throws -> [any Intent] {
    try bytes.split(separator: newline).dropFirst().map { try format.intent(from: $0) }
  }
}

/// JSON as it is encoded here has none, so it can separate lines.
let newline = UInt8(ascii: "\n")
