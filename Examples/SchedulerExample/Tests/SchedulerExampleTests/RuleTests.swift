import Foundation
import Glue
import GlueProcesses
import Testing

@testable import SchedulerExample

/// Wednesday, 15 November 2023, 12:00 UTC.
private let noon = Date(timeIntervalSince1970: 1_700_049_600)

/// The state after some intents.
private func state(_ intents: ScheduleIntent..., from start: Schedule = Schedule()) -> Schedule {
  intents.reduce(into: start) { _ = schedule(state: &$0, intent: $1) }
}

private func definitions(_ jobs: Definition..., groups: [String: Int]? = nil) -> Definitions {
  Definitions(groups: groups, jobs: jobs)
}

@Suite("The rules of the schedule") struct RuleTests {
  private let tick = Definition(name: "tick", command: ["tick"], every: 60)

  @Test("a job is due after its interval, and what is due while it runs is skipped")
  func interval() {
    let loaded = state(.loaded(definitions(tick), at: noon))
    #expect(loaded.jobs["tick"]?.next == noon + 60)
    #expect(state(.due(at: noon + 59), from: loaded).jobs["tick"]?.run == nil)
    let due = state(.due(at: noon + 60), from: loaded)
    #expect(due.jobs["tick"]?.run == Run(id: 1, phase: .running(tick)))
    let later = state(.due(at: noon + 120), .start("tick"), from: due)
    #expect(later.jobs["tick"]?.run?.id == 1)
    #expect(later.jobs["tick"]?.next == noon + 180)
  }

  @Test("after a time without a daemon, a job is due once")
  func missed() {
    let old = state(.loaded(definitions(tick), at: noon))
    let again = state(.loaded(definitions(tick), at: noon + 86_400), from: old)
    #expect(again.jobs["tick"]?.next == noon + 60)
    let due = state(.due(at: noon + 86_400), from: again)
    #expect(due.jobs["tick"]?.run?.id == 1)
    #expect(due.jobs["tick"]?.next == noon + 86_460)
  }

  @Test("runs of a group wait for one another, the oldest first")
  func groups() {
    let jobs = ["a", "b", "c"].map { Definition(name: $0, command: ["x"], group: "disk") }
    let all = Definitions(groups: ["disk": 2], jobs: jobs)
    let started = state(.loaded(all, at: noon), .start("c"), .start("b"), .start("a"))
    #expect(started.jobs["a"]?.run?.phase == .waiting)
    let ended = state(.ended("c", Outcome(run: 1, at: noon, end: .exited(0))), from: started)
    #expect(ended.jobs["a"]?.run?.phase == .running(jobs[0]))
    #expect(ended.jobs["c"]?.run == nil && ended.jobs["c"]?.last?.end == .exited(0))
  }

  @Test("a run that fails is tried again, after longer and longer waits, and then given up")
  func retries() throws {
    let job = Definition(name: "job", command: ["x"], retries: 1)
    var now = state(.loaded(definitions(job), at: noon), .start("job"))
    now = state(.ended("job", Outcome(run: 1, at: noon, failure: "no")), from: now)
    guard case .retrying(let date)? = now.jobs["job"]?.run?.phase else {
      Issue.record("\(now)")
      return
    }
    #expect(date > noon && date <= noon + 10)
    now = state(.due(at: date), from: now)
    #expect(now.jobs["job"]?.run?.phase == .running(job))
    now = state(.ended("job", Outcome(run: 1, at: date, end: .timedOut)), from: now)
    #expect(now.jobs["job"]?.run == nil && now.jobs["job"]?.last?.end == .timedOut)
  }

  @Test("a reload changes no run, and a job that the file has lost goes when its run has ended")
  func reload() {
    let started = state(.loaded(definitions(tick), at: noon), .start("tick"))
    var changed = tick
    (changed.command, changed.every) = (["tock"], 10)
    let reloaded = state(.loaded(definitions(changed), at: noon), from: started)
    #expect(
      running(started).filter { $0.id is String } == running(reloaded).filter { $0.id is String })
    #expect(reloaded.jobs["tick"]?.next == noon + 10)
    let removed = state(.loaded(definitions(), at: noon), from: started)
    #expect(removed.jobs["tick"]?.run?.id == 1 && removed.jobs["tick"]?.next == nil)
    #expect(
      state(.ended("tick", Outcome(run: 1, at: noon, end: .exited(1))), from: removed).jobs == [:])
    #expect(
      state(.ended("tick", Outcome(run: 7, at: noon, end: .exited(1))), from: started) == started)
  }

  @Test(
    "a line of cron names its next minute",
    arguments: [
      ("* * * * *", 60.0), ("30 3 * * *", 15.5 * 3_600), ("*/20 * * * *", 1_200),
      ("0 9 * * 1-5", 21 * 3_600), ("0 0 17 * 1", 36 * 3_600), ("0 12 1 1 *", 47 * 86_400.0),
      ("0 0 * * 0", 3.5 * 86_400), ("0 0 * * 7", 3.5 * 86_400),
    ] as [(String, Double)])
  func cron(line: String, span: Double) throws {
    #expect(try #require(Cron(line)).next(after: noon, in: .gmt) == noon + span)
  }

  @Test("a line of cron follows its time zone, and one without a day has no next minute")
  func zones() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    #expect(try #require(Cron("0 14 * * *")).next(after: noon, in: berlin) == noon + 3_600)
    #expect(try #require(Cron("0 0 30 2 *")).next(after: noon, in: berlin) == nil)
  }

  @Test("a new time zone counts at once for lines of cron, and for nothing else")
  func zone() {
    let nightly = Definition(name: "nightly", command: ["x"], cron: "0 14 * * *")
    let before = state(.loaded(definitions(nightly, tick), at: noon))
    var moved = definitions(nightly, tick)
    moved.zone = "Europe/Berlin"
    let after = state(.loaded(moved, at: noon + 30), from: before)
    #expect(after.jobs["nightly"]?.next == noon + 3_600)
    #expect(after.jobs["tick"]?.next == noon + 60)
    let late = state(.loaded(moved, at: noon + 7_201), from: before)
    #expect(late.jobs["nightly"]?.next == noon + 7_200, "it is due already")
  }

  @Test(
    "a mistake in the definitions is named",
    arguments: [
      (Definition(name: "../x", command: ["x"]), "a name has letters, digits and - alone"),
      (Definition(name: "x", command: []), "its command is empty"),
      (Definition(name: "x", command: ["x"], every: 1, cron: "* * * * *"), "but not both"),
      (Definition(name: "x", command: ["x"], every: 0), "at least 1 second"),
      (Definition(name: "x", command: ["x"], cron: "61 * * * *"), "is no line of cron"),
      (Definition(name: "x", command: ["x"], cron: "* * * *"), "is no line of cron"),
      (Definition(name: "x", command: ["x"], timeout: -1), "can't be negative"),
    ])
  func mistakes(job: Definition, reason: String) {
    #expect(definitions(job).mistake?.contains(reason) == true)
  }

  @Test("the definitions of this folder have no mistake")
  func example() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    #expect(try Definitions(file: folder.appending(path: "jobs.json").path()).jobs.count == 3)
  }
}
