import Foundation
import Testing

@testable import SearchExample

@Suite struct WalkTests {
  /// The files that a walk visits, without the root, and the errors that it reports.
  private func walk(_ root: Path) -> (files: Set<String>, failures: [Int32]) {
    let files = LockedBox<[String]>([])
    let failures = LockedBox<[Int32]>([])
    Walk(from: root).run(
      visit: { file in
        let name = file.bytes.dropFirst(root.bytes.count + 1)
        files.withLock { $0.append(String(decoding: name, as: UTF8.self)) }
      }, failed: { _, error in failures.withLock { $0.append(error.code) } })
    let visited = files.withLock { $0 }
    #expect(Set(visited).count == visited.count)
    return (Set(visited), failures.withLock { $0 })
  }

  @Test("all files are visited once, however deep and many")
  func allFilesAreVisited() throws {
    let tree = try TemporaryTree()
    let names = (1...300).map { "\($0 % 7)/\($0 % 5)/\($0)" }
    for name in names { try tree.write([], to: Array(name.utf8)) }
    #expect(walk(tree.root) == (Set(names), []))
  }

  @Test("git's directory, links and their loops, and pipes are left out")
  func gitsDirectoryLinksAnd() throws {
    let tree = try TemporaryTree([".git/config": "", "a/.git/x": "", "a/b": "", ".gitignore": ""])
    try tree.link("a/loop", to: "..")
    try tree.link("file", to: "a/b")
    try tree.link("nowhere", to: "nothing")
    mkfifo("\(tree.path)/pipe", 0o600)
    #expect(walk(tree.root) == (["a/b", ".gitignore"], []))
  }

  @Test("a link to the directory itself is followed")
  func aLinkToThe() throws {
    let tree = try TemporaryTree(["a/b": ""])
    try tree.link("link", to: "a")
    #expect(walk(tree.file("link")).files == ["b"])
  }

  @Test("a directory that can't be read is reported, and the rest is visited")
  func aDirectoryThatCannot() throws {
    let tree = try TemporaryTree(["text": ""])
    #expect(walk(tree.file("none")) == ([], [ENOENT]))
    #expect(walk(tree.file("text")) == ([], [ENOTDIR]))
    withTooDeepDirectory(in: tree) {
      #expect(walk(tree.root) == (["text"], [ENAMETOOLONG]))
    }
  }

  @Test("files are visited while others are being listed")
  func filesAreVisitedWhile() throws {
    let tree = try TemporaryTree(["text": ""])
    withTooDeepDirectory(in: tree) {
      let visited = DispatchSemaphore(value: 0)
      Walk(from: tree.root).run(
        visit: { _ in visited.signal() }, failed: { _, _ in visited.wait() })
    }
  }

  @Test("a canceled walk visits nothing more")
  func aCancelledWalkVisits() throws {
    let tree = try TemporaryTree(["text": ""])
    let walk = Walk(from: tree.root)
    walk.cancel()
    walk.run(visit: { _ in Issue.record("visited") }, failed: { _, _ in })
  }

  /// Nests directories until their path is longer than the system takes, and removes them,
  /// which few programs can.
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

  @Test("names are appended after one slash, and in the working directory after none")
  func namesAreAppendedAfter() {
    #expect(Path("a".utf8).appending("b".utf8) == Path("a/b".utf8))
    #expect(Path("a/".utf8).appending("b".utf8) == Path("a/b".utf8))
    #expect(Path.workingDirectory.appending("b".utf8) == Path("b".utf8))
  }

  @Test("no path can look like an option")
  func noPathCanBe() {
    #expect(Path("-rf".utf8).argument == Array("./-rf".utf8))
    #expect(Path("/a".utf8).argument == Array("/a".utf8))
  }
}
