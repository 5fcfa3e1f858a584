import Testing

@testable import BenchmarkSuite

@Suite struct GrowthTests {
  @Test("an operation has three sizes, and its name gives the promise")
  func anOperationHasThree() {
    let subjects = growing("waiting for effects", .linearithmic, from: 10) { _ in { true } }
    #expect(
      subjects.map(\.name) == [
        "waiting for effects, n log n in 10", "waiting for effects, n log n in 20",
        "waiting for effects, n log n in 40",
      ])
  }

  @Test("each operation has a preparation of its own; the first is made before the run")
  func eachOperationHasA() throws {
    var log: [String] = []
    let subjects = growing("it", .constant, from: 10) { size in
      log.append("prepare \(size)")
      return {
        log.append("run \(size)")
        return true
      }
    }
    let work = try #require(subjects.last).prepare()
    #expect(log == ["prepare 8", "run 8", "prepare 40"])
    work.run(2)
    #expect(log.dropFirst(3) == ["run 40", "prepare 40", "run 40"])
    #expect(work.isDone(2))
  }

  @Test("an operation that didn't do its work doesn't count")
  func anOperationThatFailed() throws {
    let work = try #require(growing("it", .linear) { _ in { false } }.first).prepare()
    work.run(1)
    #expect(!work.isDone(1))
  }
}
