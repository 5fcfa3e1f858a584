import Foundation
import Glue
import GlueJournal

/// Intents that one replica sent together, at one position of the log.
///
/// Its bytes are the header as a line of JSON, then a line for each intent in the format's
/// encoding.
enum Entry {
  struct Header: Codable, Equatable, Sendable {
    /// Identifies one start of one replica.
    var sender: String

    /// The replica's label, the same after every restart.
    var replica: String

    /// Counts each sender's entries from 1.
    ///
    /// An entry that is appended twice keeps its number.
    var number: Int

    /// The version of this protocol that the sender's module speaks, for later modules to read.
    var speaks = 1

    /// The newest version that the sender's program knows.
    var knows: Int

    /// The version that the intents require; nil for any.
    var needs: Int?

    /// The version that the log begins with, if the sender had read no entry.
    var begins: Int?

    var act: Act?

    /// The names of the intents that the sender's program reads.
    ///
    /// They are in a sender's entries until it finds them in the table.
    var names: [String]?

    /// How far the sender had read when it numbered the entry, and the digest of what it read.
    var seen: Seen
  }

  /// The digest of all entries that a replica has read up to a position.
  ///
  /// Replicas compare these.
  struct Seen: Codable, Equatable, Sendable {
    var position = 0
    var digest: UInt64 = 0
  }

  /// A change that an entry makes besides its intents.
  enum Act: Codable, Equatable, Sendable {
    /// The sender becomes the owner, unless another sender has since that revision.
    case claim(after: Int)

    /// The owner of that revision has done the effect. The entry's intents are its results.
    case done(OwedID, revision: Int)

    /// The sender has ended.
    case gone

    /// The next version is in force from here on, if all replicas except those named know it.
    case upgrade(to: Int, without: [String])

    /// The sender has kept a snapshot of that position.
    case kept(LogPosition, version: Int, StateDigest?)

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

/// Identifies an entry: ``SharedStore`` appends it again under the same sender and number.
///
/// An engine may answer such an append with the position of the entry that is there.
public struct EntryID: Decodable, Hashable, Sendable {
  /// One start of one replica.
  public let sender: String

  /// The entry's place among its sender's entries.
  public let number: Int

  /// Reads it from an entry's bytes; nil unless a ``SharedStore`` made them.
  public init?(of entry: [UInt8]) {
    let line = Data(entry.prefix { $0 != newline })
    guard let id = try? JSONDecoder().decode(Self.self, from: line) else { return nil }
    self = id
  }
}

/// JSON that is encoded here contains no newline, so newlines separate lines.
let newline = UInt8(ascii: "\n")
