import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal
@testable import JournalVictim

extension ProcessTests.J1KillTests {
  /// The number of kills; `GLUE_KILLS` says how many for a longer run.
  private static let count = Trials.number("GLUE_KILLS", or: 30)

  /// The sums over all kills, and what the last one left.
  private struct Findings {
    var kills: [String: Int] = [:]
    var (duringBeginnings, duringShutdowns) = (0, 0)
    var told = 0
    var lastTold = 0
    var resumed = 0
    var left: Set<Int> = []
  }

  /// One process after the other does errands with one journal.
  ///
  /// Each is killed a little after it has printed a line.
  @Test("killed while the block of handlers runs, effects are resumed, or a shutdown writes")
  func errands() async throws {
    let directory = try TemporaryDirectory()
    var random = Xorshift(seed: Trials.firstSeed)
    var found = Findings()
    for number in 0..<Self.count {
      let delivery = ["immediate", "queue", "main", "custom", "dead"][number % 5]
      let line = ["begins", "begun", "told", "again", "ends", "ended"][number / 5 % 6]
      let size = number % 3 == 0 ? 40_000 : 100
      let longest = line.hasPrefix("end") ? 12 : 6
      let wait = number % 7 == 0 ? 0 : 1 << Int.random(in: 0...longest, using: &random)
      let program = try PipedProgram(
        builtProgram("JournalVictim"),
        [
          directory.journal, number % 2 == 0 ? "synced" : "written", "\(size)", delivery, line,
          "\(wait)",
        ])
      let result = try program.finish()
      #expect(result.ending == .signal(SIGKILL), "\(result.errors)")
      found.kills[line, default: 0] += 1
      try check(result.output, directory, &found)
    }
    let store = try Store(
      state: Errands(), reducer: JournalVictim.errands,
      journal: Journal(at: directory.journal, errandsFormat)
    ) { handlers in
      handlers.on(ShortErrand.self) {
        (errand: ShortErrand, dispatch: @escaping DispatchFunc) -> Void in
        dispatch(ErrandsIntent.done(errand.number))
      }
      handlers.on(LongErrand.self) { (errand: LongErrand, dispatch: @escaping DispatchFunc) async in
        dispatch(ErrandsIntent.done(errand.number))
      }
    }
    await store.settled()
    #expect(store.state.open.isEmpty && store.state.canceled > 0)
    let kills = found.kills.sorted { $0.key < $1.key }.map { "\($1) \($0)" }
    print(
      "Killed after \(kills.joined(separator: ", ")), \(found.duringBeginnings) of them before and "
        + "\(found.duringShutdowns) during a shutdown: \(store.state.count) commits, \(found.told) told, \(store.state.done) errands, "
        + "\(found.resumed) resumed, \(store.state.canceled) canceled.")
  }

  /// Compares what a killed program printed with its journal.
  private func check(
    _ output: String, _ directory: TemporaryDirectory, _ found: inout Findings
  ) throws {
    let lines = output.split(separator: "\n").dropLast(output.hasSuffix("\n") ? 0 : 1)
    func numbers(_ word: String) -> [Int] {
      lines.filter { $0.hasPrefix("\(word) ") }.compactMap { Int($0.dropFirst(word.count + 1)) }
    }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.journal)) ?? []
    if !files.contains(where: { $0.hasSuffix(".state") }) {  // Killed before a store had begun.
      #expect(found.told == 0 && numbers("told").isEmpty)
      found.duringBeginnings += 1
      return
    }
    let after = try Recording(at: directory.journal, errandsFormat)
    var replay = Replay<Errands>(
      of: after.recorded, after.coding, isOpening: true, erased(JournalVictim.errands))
    while let step = replay.next() { #expect(step.divergence == nil) }
    let state = replay.state
    #expect(state.count == after.recorded.commit, "each commit once")

    let told = numbers("told")
    #expect(told == told.first.map { Array($0..<$0 + told.count) } ?? [], "in order")
    found.told += told.count
    found.lastTold = max(found.lastTold, told.last ?? 0, numbers("ended").last ?? 0)
    #expect(state.count >= found.lastTold)

    let again = numbers("again")
    found.resumed += again.count
    #expect(Set(again).count == again.count && found.left.isSuperset(of: again))
    found.left = Set(
      replay.left.values.compactMap { kept in
        (kept.effect as? ShortErrand)?.number ?? (kept.effect as? LongErrand)?.number
      })
    #expect(found.left.isSuperset(of: state.open), "what isn't done is left")
    let late = replay.left.values.compactMap {
      ($0.effect as? ScheduledEffect)?.effect as? LateErrand
    }
    #expect(late.map(\.number).sorted() == state.late, "what was canceled isn't left")
    #expect(!lines.contains("early"))
    let last = lines.last { $0.hasPrefix("end") }
    if last == nil { found.duringBeginnings += 1 }
    if last == "ends" { found.duringShutdowns += 1 }
  }
}
