import Glue

extension Directory {
  /// Keeps recorded properties that the state's type doesn't read (J9).
  ///
  /// The next state is written without them. So copies of the files that hold them stay beside the
  /// journal, where neither a recording nor another state touches them. `judge` gets the error before
  /// anything is written, and throws it or reports it.
  func keep(
    _ unread: [String], of examined: Examined, _ recorded: Recorded, _ coding: Coding,
    judge: (JournalError) throws -> Void
  ) throws {
    let names = unread.filter { !coding.formerProperties.contains($0) }.map { "\"\($0)\"" }
      .joined(separator: ", ")
    if names.isEmpty { return }
    let reason =
      "the recorded state has \(names), which \(type(of: recorded.state)) does not read: give the "
      + "format a new version: and a migrate:, or, if nothing is lost, formerProperties: [\(names)]"
    try judge(JournalError(examined.sources[0].path, reason))
    let present = Set(try self.names().map(\.text))
    for source in examined.sources + examined.unbegun {
      guard let copy = source.file.map({ $0.text + keptEnding }), !present.contains(copy) else {
        continue
      }
      try place(source.bytes, as: copy)
    }
  }
}

extension Coding {
  /// The top-level properties of the first and the last recorded state that the state's type doesn't
  /// encode after it has decoded them.
  ///
  /// States of an older version are migrated, so they aren't compared.
  func unread(in examined: Examined, _ recorded: Recorded) -> [String] {
    let last = recorded.records.lastIndex { $0.commit?.state != nil }
    let names = Set([0, last ?? 0]).flatMap { index -> [String] in
      let record = examined.records[index]
      guard record.version == version, let state = recorded.records[index].state else { return [] }
      return unread(in: record.members["value"] ?? record.members["state"], by: state)
    }
    return Set(names).sorted()
  }

  /// The top-level properties of a written state that its type doesn't encode.
  func unread(in json: JSON?, by state: AnyState) -> [String] {
    var line = LineBuffer()
    guard let properties = json?.properties, (try? line.value(coded(state), self)) != nil,
      let own = JSON(line.bytes[...]).properties
    else { return [] }
    return properties.filter { !own.contains($0) }
  }
}

extension Record {
  fileprivate var state: AnyState? {
    if case .state(let state, _, _, _) = content { state } else { commit?.state }
  }
}

extension JSON {
  /// The names of an object's members that are not null; nil for anything else.
  fileprivate var properties: [String]? {
    members?.all.filter { !$0.1.bytes.elementsEqual("null".utf8) }.map(\.0)
  }
}
