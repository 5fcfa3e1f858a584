import Testing

@testable import SearchExample

@Suite struct InvocationTests {
  private func invocation(_ arguments: String...) -> Invocation {
    Invocation(arguments: arguments.map { Array($0.utf8) })
  }

  @Test func `a directory is searched, which is the working directory if none is named`() {
    #expect(invocation() == .search(.workingDirectory))
    #expect(invocation("dir") == .search(Path("dir".utf8)))
    #expect(invocation("--", "-dir") == .search(Path("-dir".utf8)))
  }

  @Test func `what follows --plain is a pattern, even if it looks like an option or is empty`() {
    #expect(
      invocation("--plain", "-h")
        == .plain(Query(pattern: Array("-h".utf8), directory: .workingDirectory)))
    #expect(
      invocation("--plain", "", "d") == .plain(Query(pattern: [], directory: Path("d".utf8))))
  }

  @Test func `patterns and directories need not be UTF-8`() {
    let query = Query(pattern: [0xFF], directory: Path([0xFE]))
    #expect(Invocation(arguments: [Array("--plain".utf8), [0xFF], [0xFE]]) == .plain(query))
  }

  @Test(arguments: ["-h", "--help"])
  func `help is given`(option: String) {
    #expect(invocation(option) == .help)
  }

  @Test func `all else is told to be wrong`() {
    #expect(invocation("-x\u{1B}") == .misuse("unknown option -x␛"))
    #expect(invocation("--plain") == .misuse("--plain needs a pattern"))
    #expect(invocation("--plain", "a\nb") == .misuse("a pattern is one line"))
    #expect(invocation("a", "b") == .misuse("there is more than one directory"))
    #expect(invocation("") == .misuse("the name of a directory is not empty"))
  }
}
