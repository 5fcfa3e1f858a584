import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("Errors and retries")
struct ErrorsAndRetriesTests {
  private let none = CancelEffects(id: "load")

  private func attempt(_ number: Int, after delay: Duration) -> [any Effect] {
    [
      LoadReport(attempt: number).scheduled(.debounce(delay), id: "load"),
      Send(ReportIntent.failed(.tooSlow)).scheduled(.delay(delay + .seconds(5)), id: "load"),
    ]
  }

  @Test("an unreachable and a slow server are asked again, after longer waits")
  func retries() async {
    let test = TestStore(state: Report(), reducer: report)
    test.add(effectHandler: ReportServer(clock: test.clock))
    await test.send(ReportIntent.load, effects: attempt(0, after: .zero)) {
      $0.status = .loading(attempt: 0)
    }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(
      ReportIntent.failed(.unreachable), effects: attempt(1, after: .seconds(1))
    ) { $0.status = .loading(attempt: 1) }
    await test.clock.advance(by: .seconds(6))
    await test.receive(ReportIntent.failed(.tooSlow), effects: attempt(2, after: .seconds(2))) {
      $0.status = .loading(attempt: 2)
    }
    await test.clock.advance(by: .milliseconds(2500))
    await test.receive(ReportIntent.loaded("All is well"), effects: [none]) {
      $0.status = .loaded("All is well")
    }
    await test.finish()
  }

  @Test("a refusal, and a fourth failure, are shown")
  func failures() {
    var state = Report(status: .loading(attempt: 0))
    #expect(report(state: &state, intent: .failed(.refused)) == [none])
    #expect(state.status == .failed(.refused))
    state.status = .loading(attempt: 3)
    #expect(report(state: &state, intent: .failed(.unreachable)) == [none])
    #expect(state.status == .failed(.unreachable))
  }

  @Test("a cancellation ends the attempt and its limit")
  func canceling() async {
    let test = TestStore(state: Report(), reducer: report)
    test.add(effectHandler: ReportServer(clock: test.clock))
    await test.send(ReportIntent.load, effects: attempt(0, after: .zero)) {
      $0.status = .loading(attempt: 0)
    }
    await test.send(ReportIntent.cancel, effects: [none]) { $0.status = .idle }
    await test.clock.advance(by: .seconds(60))
    await test.finish()
  }
}
