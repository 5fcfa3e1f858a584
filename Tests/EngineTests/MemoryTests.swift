import GlueCluster
import Testing

@Suite struct MemoryTests {
  @Test func theMemoryKeepsTheContract() async throws {
    let log = MemoryLog(clock: ContinuousClock())
    try await checkContract { log.connection() }
  }
}
