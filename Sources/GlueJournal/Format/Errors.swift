/// Why a journal was not opened or read; nothing was changed then.
public struct JournalError: Error, CustomStringConvertible, Sendable {
  /// The file, or the directory.
  public let path: String

  /// Where in the file, in bytes; nil where that does not matter.
  public let offset: Int?

  /// The number of the record; nil where that does not matter.
  public let record: Int?

  /// What is wrong, and what was expected.
  public let reason: String

  init(_ path: String, at offset: Int? = nil, record: Int? = nil, _ reason: String) {
    self.path = path
    self.offset = offset
    self.record = record
    self.reason = reason
  }

  init(_ error: FileError, in path: String) {
    self.init(path, "\(error)")
  }

  /// One line: the place, and what is wrong there.
  public var description: String {
    path + (offset.map { ", byte \($0)" } ?? "") + (record.map { ", record \($0)" } ?? "")
      + ": " + reason
  }
}

/// Why a journal can write no more; the program stops then (J6).
public struct JournalFailure: Error, CustomStringConvertible, Sendable {
  /// The file, or the directory.
  public let path: String

  /// What failed.
  public let reason: String

  /// The last commit that is known to be on the disk.
  public let lastDurableCommit: Int

  /// One line.
  public var description: String {
    "\(path): \(reason); the last commit that is known to be on the disk is \(lastDurableCommit)"
  }
}

/// Stops the program: a journal cannot write any more (J6).
func stopForFailure(_ failure: JournalFailure) -> Never {
  fatalError(
    """
    Glue: the journal cannot be written: \(failure). The program ends, for what is not in the \
    journal must not be told to the world; nothing was. Mend what keeps the file from being \
    written, and start again.
    """)
}

/// Stops the program: two types of a format have one name.
func stopForNameGivenTwice(_ name: String) -> Never {
  fatalError(
    """
    Glue: a JournalFormat names two types "\(name)"; what is read could not be told apart.
      Wrong: intents: [.named("todo", TodoIntent.self), .named("todo", ListIntent.self)]
      Right: intents: [.named("todo", TodoIntent.self), .named("list", ListIntent.self)]
    """)
}

/// Stops the program: a type has two names in a format.
func stopForTypeNamedTwice(_ names: [String]) -> Never {
  fatalError(
    """
    Glue: a JournalFormat names one type twice, among \(names.joined(separator: ", ")); how it is \
    written would be left to chance.
      Wrong: intents: [.named("todo", TodoIntent.self), .named("task", TodoIntent.self)]
      Right: intents: [.named("task", TodoIntent.self), .formerly("todo", TodoIntent.self) { $0 }]
    """)
}

/// Stops the program: a journal was given to a second store.
func stopForSecondStore(_ path: String) -> Never {
  fatalError(
    """
    Glue: the journal \(path) was given to a second store. It holds the commits of one.
      Wrong: let a = try Store(…, journal: journal); let b = try Store(…, journal: journal)
      Right: a Journal, with a directory of its own, for each store
    """)
}
