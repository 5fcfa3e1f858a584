import Foundation
import Testing

@testable import BenchmarkSuite

@Suite struct SamplerTests {
  /// Subjects wait for tasks, so they must not run on the cooperative pool.
  @Test(
    "every subject's operations do their work",
    arguments: allGroups.filter { $0.name != "startup" }.flatMap(\.paths))
  func theOperationsOfEvery(path: String) async throws {
    let invocation = try Invocation(arguments: ["--filter", path])
    let (isDone, isOverdone) = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: outcome(of: invocation)) }
    }
    #expect(isDone)
    #expect(path.contains("empty lock") || !isOverdone)
  }

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

/// Whether seven operations of a subject count as seven, and as eight.
private func outcome(of invocation: Invocation) -> (Bool, Bool) {
  guard let selection = try? Selection(of: allGroups, by: invocation),
    let work = selection.subjects.first?.subject.prepare()
  else { return (false, true) }
  work.run(3)
  work.run(4)
  return (work.isDone(7), work.isDone(8))
}

extension Group {
  fileprivate var paths: [String] { subjects.map { path($0.name) } }
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
