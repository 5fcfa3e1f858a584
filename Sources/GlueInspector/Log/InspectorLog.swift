/// The last commits and the events of their effects, in the order in which the store reported them.
struct Log: Sendable {
  /// How many commits the log keeps.
  let limit: Int

  /// The number of removed entries, and of commits among them.
  private(set) var goneCount = 0
  private(set) var goneCommitCount = 0

  /// The continuations that wake the readers.
  private(set) var readers: [Int: AsyncStream<Void>.Continuation] = [:]
  private var readerCount = 0

  /// The entries.
  ///
  /// Those before `first` are removed for readers.
  ///
  /// The commits from `base` to `first` stay, and every other place before `first` is nil. The
  /// commit at `base` has a whole state, from which the states from `first` on follow.
  private var places: [Entry?] = []
  private var base = 0
  private var first = 0
  private var commitCount = 0

  /// The changes since the last whole state, and the size of that state, in bytes.
  private var since = (bytes: 0, commits: 0)
  private var stateBytes: Int?

  init(limit: Int) {
    self.limit = limit
  }

  var entries: [Entry] { places[first...].compactMap { $0 } }

  /// The whole state and the changes that lead to the first entry, as JSON; nil if that entry has a
  /// whole state.
  var baseLine: String? {
    let commits = places[base..<first].compactMap { $0?.commit?.baseLine }
    return commits.isEmpty ? nil : "\"base\":" + array(commits)
  }

  /// Whether to keep the whole state with a commit.
  ///
  /// The first commit has it. A later one has it in three cases:
  ///
  /// - The changes since are as large as the last state, so that changes and states take equal
  ///   room.
  /// - A tenth of the limit has passed, so that few removed commits stay for the first entry's
  ///   sake.
  /// - The changes are incomplete, unless the state is more than four times as large.
  func wantsState(with commit: CommitEntry) -> Bool {
    guard let stateBytes else { return true }
    return since.bytes >= stateBytes || since.commits > limit / 10
      || commit.isPartial && 4 * commit.changeBytes >= stateBytes
  }

  /// Adds an entry; above the limit it removes the oldest commit and all entries before the next.
  ///
  /// It drops events of effects that their commit does not list.
  ///
  /// - Complexity: O(1), amortized.
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

  /// Adds a continuation that wakes a reader; returns the key that removes it.
  mutating func add(_ reader: AsyncStream<Void>.Continuation) -> Int {
    readerCount += 1
    readers[readerCount] = reader
    return readerCount
  }

  mutating func remove(_ reader: Int) -> AsyncStream<Void>.Continuation? {
    readers.removeValue(forKey: reader)
  }

  /// The next line for a reader that has read so many.
  ///
  /// One line stands for all removed meanwhile.
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
