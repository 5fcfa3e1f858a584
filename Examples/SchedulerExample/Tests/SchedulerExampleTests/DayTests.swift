import Foundation
import Glue
import GlueProcesses
import GlueTesting
import Synchronization
import Testing

@testable import SchedulerExample

@Suite("A day of the schedule") struct DayTests {
  @Test("in virtual time, each job runs as often as its definition says")
  func day() async throws {
    let (clock, base) = (TestClock(), Date(timeIntervalSince1970: 1_700_006_400))  // Midnight.
    let runs = Mutex<[String: Int]>([:])
    let jobs = Definitions(jobs: [
      Definition(name: "hourly", command: ["x"], every: 3_600, group: "one"),
      Definition(name: "nightly", command: ["x"], cron: "0 3 * * *", group: "one"),
      Definition(name: "fails", command: ["x"], cron: "0 4 * * *", retries: 2),
    ])
    let surroundings = Surroundings(
      clock: clock, dates: Dates(clock, from: base),
      systemDate: { base + clock.now.offset / .seconds(1) }, load: { jobs },
      run: { _, job in
        runs.withLock { $0[job.name, default: 0] += 1 }
        try await clock.sleep(for: .seconds(30))
        return .exited(job.name == "fails" ? 1 : 0)
      })
    let folder = TemporaryFolder()
    let scheduler = try Scheduler(in: folder.path, surroundings)
    await clock.advance(by: .seconds(86_399))
    #expect(runs.withLock { $0 } == ["hourly": 23, "nightly": 1, "fails": 3])
    await scheduler.store.shutdown()
  }
}

/// A folder that deinit removes.
final class TemporaryFolder: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()

  init() {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
