/// The commits that are lost where a program continues with a part of a journal's records.
package struct Loss: CustomStringConvertible {
  /// The last commit that remains.
  let last: Int

  /// How many later commits the other records name.
  let count: Int

  /// Whether there may be more, because the last record can't be read.
  let isLeast: Bool

  package var description: String {
    let count =
      switch (self.count, isLeast) {
      case (0, false): "no commit"
      case (0, true): "an unknown number of commits"
      case (let count, let isLeast):
        "\(isLeast ? "at least " : "")\(count) commit\(count == 1 ? "" : "s")"
      }
    return "\(count) lost, and commit \(last) is then the last"
  }
}

extension Examined {
  /// The index of the damaged source, if it is a log of which whole records remain.
  package var cuttableIndex: Int? {
    guard let damage, let offset = damage.offset, offset > 0 else { return nil }
    return sources.firstIndex { $0.path == damage.path && $0.file?.isLog == true }
  }

  /// The commits that all sources have, and these records don't.
  package func loss(of all: [Source]) -> Loss {
    let last = records.lazy.reversed().compactMap(\.members.lastCommit).first ?? 0
    let all = all.map { (source: $0, lines: lines(of: $0.bytes)) }
    let named = all.flatMap { source, lines in
      lines.compactMap { $0.whole(in: source)?.lastCommit }
    }
    let isLeast = all.last?.source.isState == true || all.last?.lines.last?.members == nil
    return Loss(last: last, count: max(0, (named.max() ?? 0) - last), isLeast: isLeast)
  }
}

extension JSONMembers {
  /// The commit that the record holds, or that it follows.
  fileprivate var lastCommit: Int? {
    ["commit", "closed", "opened", "log", "state"].lazy.compactMap { self[$0]?.integer }.first
  }
}
