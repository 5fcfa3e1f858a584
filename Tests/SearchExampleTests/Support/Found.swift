import TerminalSupport

@testable import SearchExample

/// A line that was found, all of it.
struct Found: Hashable {
  var file = ""
  var number: Int
  var text: String

  init(_ number: Int, _ text: String) {
    self.number = number
    self.text = text
  }

  init(_ line: FoundLine, in file: Path, below root: Path = .workingDirectory) {
    var text: [UInt8] = []
    line.forEachPiece { text += $0 }
    self.init(line.number, String(decoding: text, as: UTF8.self))
    self.file = String(
      decoding: file.bytes.dropFirst(root.bytes.isEmpty ? 0 : root.bytes.count + 1), as: UTF8.self)
  }
}

/// What a scan has told its visitors.
final class Account: Sendable {
  struct Contents {
    var lines: Set<Found> = []
    var searched = 0
    var binaries = 0
    var failures: [Int32] = []
  }

  private let mutex = Locked(Contents())
  private let root: Path

  init(of root: Path) {
    self.root = root
  }

  var contents: Contents { mutex.withLock { $0 } }

  var visitor: some FileVisitor { Visitor(account: self) }

  private struct Visitor: FileVisitor {
    let account: Account

    func found(_ line: FoundLine, in file: Path) {
      let line = Found(line, in: file, below: account.root)
      account.mutex.withLock { _ = $0.lines.insert(line) }
    }

    func finished(_ file: Path, _ outcome: FileSearcher.Outcome) {
      account.mutex.withLock {
        if outcome == .binary { $0.binaries += 1 } else { $0.searched += 1 }
      }
    }

    func failed(_ path: Path, _ error: SystemError) {
      account.mutex.withLock { $0.failures.append(error.code) }
    }
  }
}
