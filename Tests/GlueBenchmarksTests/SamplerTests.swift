import Testing

@testable import BenchmarkSuite

@Suite struct SamplerTests {
  @Test("subjects are measured in turns, and get the count of operations")
  func subjectsAreMeasuredIn() {
    let log = Log()
    let subjects = ["a", "b"].map { name in
      Subject(name: name, count: 2) {
        var total = 0
        return Work(
          run: {
            total += $0
            log.lines.append("\(name)\($0)")
          },
          isDone: { $0 == total })
      }
    }
    let measurements = Sampler(rounds: 2).measure(subjects) { log.lines.append("round \($0)") }
    #expect(log.lines == ["round 1", "a2", "b2", "round 2", "a2", "b2"])
    #expect(measurements.map(\.samples.count) == [2, 2])
    #expect(measurements.map(\.isDone) == [true, true])
  }

  @Test("missing work is noticed")
  func workThatWasNot() {
    let lazy = Subject(name: "lazy", count: 1) { Work(run: { _ in }, isDone: { $0 == 0 }) }
    let report = report(of: [lazy], sampler: Sampler(rounds: 1))
    #expect(report.rows.map(\.isDone) == [false])
    #expect(report.table.contains("NOT DONE"))
  }

  @Test("a reading replaces the time")
  func aReadingTakesThe() {
    let subject = Subject(name: "it", count: 1) {
      Work(run: { _ in }, reading: { 42 }, isDone: { _ in true })
    }
    #expect(Sampler(rounds: 3).measure([subject]) { _ in }.first?.samples == [42, 42, 42])
  }

  @Test("allocations are counted after the rounds, for each operation")
  func allocationsAreCountedOnce() {
    let log = Log()
    let counting = AllocationCounting(
      begin: { log.lines.append("begin") }, end: { log.lines.count })
    let subject = Subject(name: "it", count: 10) {
      Work(run: { log.lines.append("\($0)") }, isDone: { _ in true })
    }
    let sampler = Sampler(rounds: 1, allocations: counting)
    #expect(sampler.measure([subject]) { _ in }.first?.allocations == 0.3)
    #expect(log.lines == ["10", "begin", "10"])
  }
}

/// The events, in order.
private final class Log {
  var lines: [String] = []
}

/// The report on some subjects, as a group named "group".
func report(of subjects: [Subject], sampler: Sampler) -> Report {
  var report = Report(rounds: sampler.rounds, processors: 1, countsAllocations: false)
  let group = Group(name: "group", subjects: subjects)
  report.append(sampler.measure(subjects) { _ in }, of: group)
  return report
}
