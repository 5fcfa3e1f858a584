import Foundation
import Testing

@testable import BenchmarkSuite

@Suite struct ReportTests {
  @Test("columns are aligned and lines end without blanks")
  func columnsAreAlignedAnd() {
    var table = Table(header: ["what", "median", "budget"])
    table.append(["a", "1 ns", ""])
    table.append(["a long one", "1,000 ns", "met"])
    #expect(
      table.text == """
        what          median  budget
        a               1 ns
        a long one  1,000 ns  met

        """)
  }

  @Test(
    "numbers have their significant digits",
    arguments: [(0.0, "0"), (2, "2"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123")])
  func numbersHaveTheDigits(number: Double, text: String) {
    #expect(short(number) == text)
  }

  @Test("a verdict gives the figure, the limit and their unit")
  func aVerdictSaysFigure() {
    var verdict = Verdict(figure: 1.25, limit: 1.5, unit: "× floor", allocations: 0, isMet: true)
    #expect(verdict.text == "met: 1.25 of 1.50 × floor, no allocation")
    verdict = Verdict(figure: 7, limit: 6, unit: "ns over none", isMet: false)
    #expect(verdict.text == "NOT MET: 7 of 6 ns over none")
  }

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
