/// The last commits, and what became of effects, in the order in which they were told.
struct Log: Sendable {
  /// How many commits are kept.
  let limit: Int

  /// How many entries have gone, and how many of these were commits.
  private(set) var goneCount = 0
  private(set) var goneCommitCount = 0

  /// What tells each reader that there is more.
  private(set) var readers: [Int: AsyncStream<Void>.Continuation] = [:]
  private var readerCount = 0

  /// The entries, of which those before `first` have gone.
  ///
  /// They are nil, but for the commits from `base` on, the first of which has a whole state: the states
  /// from `first` on are made of it.
  private var places: [Entry?] = []
  private var base = 0
  private var first = 0
  private var commitCount = 0

  /// What has come since a whole state was kept, and how much that took, in bytes.
  private var since = (bytes: 0, commits: 0)
  private var stateBytes: Int?

  init(limit: Int) {
    self.limit = limit
  }

  var entries: [Entry] { places[first...].compactMap { $0 } }

  /// What leads to the state before the first entry, as JSON; nil if that has a whole state itself.
  var baseLine: String? {
    let commits = places[base..<first].compactMap { $0?.commit?.baseLine }
    return commits.isEmpty ? nil : "\"base\":" + array(commits)
  }

  /// Whether the whole state is to be kept with a commit.
  ///
  /// That of the first is; then when as much as it took has been told in changes, so that these and
  /// the states take about the same; so often that not many are kept for the sake of the first; and
  /// where the changes tell only a part, unless it is much larger than these.
  func wantsState(with commit: CommitEntry) -> Bool {
    guard let stateBytes else { return true }
    return since.bytes >= stateBytes || since.commits > limit / 10
      || commit.isPartial && 4 * commit.changeBytes >= stateBytes
  }

  /// Adds an entry; if there are too many commits, the oldest goes, with all that was told before
  /// the next one.
  ///
  /// What becomes of effects that are not listed is not kept.
  ///
  /// - Complexity: O(1), amortised.
  mutating func append(_ entry: Entry) {
    if case .effect(let effect) = entry, !effect.isListed { return }
    places.append(entry)
    guard case .commit(let commit) = entry else { return }
    if let tree = commit.tree {
      (since, stateBytes) = ((0, 0), tree.utf8.count)
    } else {
      since = (since.bytes + commit.changeBytes, since.commits + 1)
    }
    commitCount += 1
    if commitCount > limit { forgetOldest() }
  }

  private mutating func forgetOldest() {
    commitCount -= 1
    goneCommitCount += 1
    var isCommitGone = false
    repeat {
      if let commit = places[first]?.commit {
        isCommitGone = true
        if commit.tree != nil { moveBase(to: first) }
      } else {
        places[first] = nil
      }
      first += 1
      goneCount += 1
    } while !isCommitGone || places[first]?.commit == nil
    if places[first]?.commit?.tree != nil { moveBase(to: first) }
    if base > 64, 2 * base > places.count {
      places.removeFirst(base)
      (first, base) = (first - base, 0)
    }
  }

  private mutating func moveBase(to place: Int) {
    for index in base..<place { places[index] = nil }
    base = place
  }

  /// Adds what tells a reader that there is more; returns by what it is removed.
  mutating func add(_ reader: AsyncStream<Void>.Continuation) -> Int {
    readerCount += 1
    readers[readerCount] = reader
    return readerCount
  }

  mutating func remove(_ reader: Int) -> AsyncStream<Void>.Continuation? {
    readers.removeValue(forKey: reader)
  }

  /// What a reader gets next, who has read so many lines: what has gone meanwhile is told as one.
  func line(after count: inout Int) -> String? {
    if count < goneCount {
      defer { count = goneCount }
      let members = ["\"dropped\":\(goneCount - count)", baseLine]
      return "{" + members.compactMap { $0 }.joined(separator: ",") + "}"
    }
    let place = first + count - goneCount
    if place == places.count { return nil }
    count += 1
    return places[place]?.line
  }
}

extension Entry {
  fileprivate var commit: CommitEntry? {
    if case .commit(let commit) = self { commit } else { nil }
  }
}
