import Foundation
import Testing

@testable import SearchExample

@Suite struct ScanTests {
  private func account(
    of tree: TemporaryTree, for pattern: String, root: Path? = nil
  ) -> Account.Contents {
    let account = Account(of: root ?? tree.root)
    Scan(of: root ?? tree.root, for: Pattern(pattern.utf8)).run { account.visitor }
    return account.contents
  }

  @Test func `all files are searched, however deep and many`() throws {
    let tree = try TemporaryTree()
    var expected: Set<Found> = []
    for number in 1...300 {
      let name = "\(number % 7)/\(number % 5)/\(number)"
      try tree.write(Array("needle \(number)\n".utf8), to: Array(name.utf8))
      var line = Found(1, "needle \(number)")
      line.file = name
      expected.insert(line)
    }
    let account = account(of: tree, for: "needle")
    #expect(account.lines == expected)
    #expect(account.searched == 300)
  }

  @Test func `git's directory, links and their loops, and pipes are left out`() throws {
    let tree = try TemporaryTree([".git/config": "needle", "a/.git/x": "needle", "a/b": "needle"])
    try tree.link("a/loop", to: "..")
    try tree.link("file", to: "a/b")
    try tree.link("nowhere", to: "nothing")
    mkfifo("\(tree.path)/pipe", 0o600)
    let account = account(of: tree, for: "needle")
    #expect(account.lines.map(\.file) == ["a/b"])
    #expect(account.failures.isEmpty)
  }

  @Test func `a link to the directory itself is followed`() throws {
    let tree = try TemporaryTree(["a/b": "needle"])
    try tree.link("link", to: "a")
    let account = account(of: tree, for: "needle", root: tree.file("link"))
    #expect(account.lines.map(\.file) == ["b"])
  }

  @Test func `binary files are counted and not searched`() throws {
    let tree = try TemporaryTree(["binary": "\0needle", "text": "needle"])
    let account = account(of: tree, for: "needle")
    #expect(account.lines.map(\.file) == ["text"])
    #expect((account.searched, account.binaries) == (1, 1))
  }

  @Test func `a directory that cannot be read is a failure, and the rest is searched`() throws {
    let tree = try TemporaryTree(["text": "needle"])
    #expect(account(of: tree, for: "x", root: tree.file("none")).failures == [ENOENT])
    #expect(account(of: tree, for: "x", root: tree.file("text")).failures == [ENOTDIR])
    withTooDeepDirectory(in: tree) {
      let account = account(of: tree, for: "needle")
      #expect(account.failures == [ENAMETOOLONG])
      #expect(account.lines.map(\.file) == ["text"])
    }
  }

  @Test func `a scan that is cancelled before it runs searches nothing`() throws {
    let tree = try TemporaryTree(["text": "needle"])
    let account = Account(of: tree.root)
    let scan = Scan(of: tree.root, for: Pattern("needle".utf8))
    scan.cancel()
    scan.run { account.visitor }
    #expect(account.contents.searched == 0)
  }

  /// Makes directories in one another until their path is longer than the system takes, and, as
  /// hardly anybody else can, removes them.
  private func withTooDeepDirectory(in tree: TemporaryTree, _ body: () -> Void) {
    let name = String(repeating: "d", count: 250)
    var parents = [open(tree.path, O_RDONLY | O_CLOEXEC)]
    for depth in 0..<17 {
      #expect(mkdirat(parents[depth], name, 0o700) == 0)
      parents.append(openat(parents[depth], name, O_RDONLY | O_CLOEXEC))
    }
    body()
    for parent in parents.reversed() {
      _ = unlinkat(parent, name, AT_REMOVEDIR)
      close(parent)
    }
  }
}
