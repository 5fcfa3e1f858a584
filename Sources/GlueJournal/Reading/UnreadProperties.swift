import Glue

/// The parts of a recorded state that its type has decoded and does not encode.
struct Unread {
  /// The paths of values that it doesn't encode at all, in order.
  var paths: [String] = []

  /// If there are none: the top-level properties whose encodings differ; nil if none differs.
  var changed: [String]?

  var isEmpty: Bool { paths.isEmpty && changed == nil }
}

extension Directory {
  /// Keeps recorded values that the state's type doesn't read (J9).
  ///
  /// The next state is written without them. So copies of the files that hold them stay beside the
  /// journal, where neither a recording nor another state touches them. `judge` gets the error before
  /// anything is written, and throws it or reports it.
  func keep(
    _ unread: Unread, of examined: Examined, _ recorded: Recorded, _ coding: Coding,
    judge: (JournalError) throws -> Void
  ) throws {
    guard let reason = coding.reason(for: unread, type(of: recorded.state)) else { return }
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
  /// The parts of the first and the last recorded state that the state's type doesn't read.
  ///
  /// States of an older version are migrated, so they aren't compared.
  func unread(in examined: Examined, _ recorded: Recorded) -> Unread {
    let last = recorded.records.lastIndex { $0.commit?.state != nil }
    var (paths, changed): (Set<String>, Set<String>?) = ([], nil)
    for index in Set([0, last ?? 0]) {
      let record = examined.records[index]
      guard record.version == version, let state = recorded.records[index].state else { continue }
      let own = index == 0 ? recorded.ownDigest : digest(of: state)
      let unread = unread(in: record.members, by: state, own)
      paths.formUnion(unread.paths)
      if let names = unread.changed { changed = (changed ?? []).union(names) }
    }
    return Unread(paths: paths.sorted(), changed: paths.isEmpty ? changed?.sorted() : nil)
  }

  /// The parts of a record's state that its type doesn't read.
  ///
  /// Equal digests mean that the type encodes all that was recorded, so this takes time only when
  /// something has changed.
  private func unread(in record: JSONMembers, by state: AnyState, _ own: Digest?) -> Unread {
    let digest = Digest(from: record["digest"])
    if let digest, digest.sum == own?.sum { return Unread() }
    let paths = unread(in: record["value"] ?? record["state"], by: state)
    guard paths.isEmpty, let digest, let own, recodes(state, to: own) else {
      return Unread(paths: paths)
    }
    let names = StateDigest(own).differing(from: StateDigest(digest))
    return Unread(changed: names)
  }

  /// The paths of the values in a written state that its type doesn't encode.
  func unread(in json: JSON?, by state: AnyState) -> [String] {
    guard let json, let shape = try? Shape(of: coded(state)) else { return [] }
    return shape.paths(missingFrom: json).sorted()
  }

  /// Whether a state has the same digest each time that it is encoded and decoded again.
  ///
  /// A set of two elements encoded as a list keeps its order in about half of its copies, and in any
  /// copy that reuses another's memory. So this compares 16, fewer of a large state, and holds them
  /// all until then.
  func recodes(_ state: AnyState, to digest: Digest) -> Bool {
    let count = min(16, max(2, 1_000_000 / max(1, digest.leaves)))
    let copies = (0..<count).map { _ in try? recoded(state) }
    return copies.allSatisfy { copy in copy.flatMap(self.digest)?.sum == digest.sum }
  }

  func digest(of state: AnyState) -> Digest? { try? Digest.of(coded(state)) }

  /// Why the values should be kept; nil if the format declares them.
  fileprivate func reason(for unread: Unread, _ type: Any.Type) -> String? {
    let paths = quoted(unread.paths.filter { !formerProperties.contains($0) })
    let cure = "give the format a new version: and a migrate:"
    if !paths.isEmpty {
      return "the recorded state has \(paths), which \(type) does not read: \(cure), or, if "
        + "nothing is lost, formerProperties: [\(paths)]"
    }
    return unread.changed.map { names in
      "the coding of \(type) has changed\(names.isEmpty ? "" : " in " + quoted(names)), but the "
        + "format's version is the same: \(cure)"
    }
  }

  private func quoted(_ names: [String]) -> String {
    names.map { "\"\($0)\"" }.joined(separator: ", ")
  }
}

extension Record {
  fileprivate var state: AnyState? {
    if case .state(let state, _, _, _) = content { state } else { commit?.state }
  }
}
