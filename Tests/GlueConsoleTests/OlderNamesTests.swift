import GlueConsole
import Testing

@Suite("Older names")
struct OlderNamesTests {
  @Test("a program that uses them compiles, and does what it did")
  func stillWork() async throws {
    let uses: any OlderNames = Uses()
    try await uses.check()
  }
}

/// Calls the deprecated uses, because a call through a protocol warns of nothing.
private protocol OlderNames {
  func check() async throws
}

private struct Uses: OlderNames {
  @available(*, deprecated)
  func check() async throws {
    #expect(await blocking { 1 } == 1)
    await #expect(throws: CancellationError.self) {
      try await blocking { throw CancellationError() }
    }
  }
}
