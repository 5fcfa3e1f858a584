import Testing

@testable import SearchExample

@Suite struct PathTests {
  private func text(_ path: Path) -> String {
    String(decoding: path.bytes, as: UTF8.self)
  }

  @Test func `names are appended after one slash, and in the working directory after none`() {
    #expect(text(Path("a".utf8).appending("b".utf8)) == "a/b")
    #expect(text(Path("a/".utf8).appending("b".utf8)) == "a/b")
    #expect(text(Path.workingDirectory.appending("b".utf8)) == "b")
  }

  @Test func `no path can be taken for an option`() {
    #expect(Path("-rf".utf8).argument == Array("./-rf".utf8))
    #expect(Path("/a".utf8).argument == Array("/a".utf8))
  }

  @Test func `the system gets the bytes as they are`() {
    let path = Path([0xFF, 0x0A])
    path.withCString { name in
      #expect((name[0], name[1], name[2]) == (-1, 10, 0))
    }
  }
}
