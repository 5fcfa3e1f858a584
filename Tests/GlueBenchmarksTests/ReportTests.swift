import Foundation
import Testing

@testable import BenchmarkSuite

@Suite struct ReportTests {
  @Test("a row has its time, its floor and the ratio to it")
  func aRowHasIts() throws {
    let report = report(
      of: [reading("floor", 50), reading("it", 75_000)], sampler: Sampler(rounds: 3))
    let row = try #require(report.rows.last)
    #expect(row.path == "group/it")
    #expect(row.floor == 50)
    #expect(row.ratio == 1500)
    let words = report.table.split(separator: "\n").last?.split(separator: " ").map(String.init)
    #expect(words == ["group/it", "75", "µs", "75–75", "50", "ns", "1500"])
  }

  @Test("the machine-readable report reads back unchanged")
  func theReportForMachines() throws {
    let report = report(
      of: [reading("floor", 50), reading("it", 75.5)], sampler: Sampler(rounds: 3))
    #expect(try JSONDecoder().decode(Report.self, from: report.json()) == report)
  }

  @Test("the report is written to the requested file")
  func theReportIsWritten() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let benchmarks = Benchmarks(allocations: nil)
    let arguments = ["--filter", "reading/state", "--json", file.path]
    #expect(benchmarks.run(arguments: arguments) == 0)
    let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: file))
    #expect(report.rows.map(\.path) == ["reading/empty lock", "reading/state"])
    #expect(!report.countsAllocations)
  }

  @Test("a report that can't be written ends with status 1")
  func aReportThatCannot() {
    let arguments = ["--filter", "reading", "--json", "/nonexistent/report.json"]
    #expect(Benchmarks(allocations: nil).run(arguments: arguments) == 1)
  }

  /// A subject that always reads the same.
  private func reading(_ name: String, _ value: Double) -> Subject {
    Subject(name: name, floor: name == "floor" ? nil : "floor", count: 1) {
      Work(run: { _ in }, reading: { value }, isDone: { _ in true })
    }
  }
}
