import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The shared settings")
struct SharedSettingsTests {
  @Test("a feature reads and changes them as part of its own state")
  func reading() {
    expect(diaryFeature, from: Diary(), when: GoalIntent.raise) { $0.meters = 11_000 }
    expect(diaryFeature, from: Diary(), when: GoalIntent.useMiles, GoalIntent.raise) {
      $0.settings.isMetric = false
      $0.meters = 11_609
    }
  }

  @Test("a row changes them by an intent that leaves it")
  func leaving() async {
    let test = TestStore(state: Diary(), reducer: diaryFeature)
    await test.send(
      RunIntent.pressUnit, in: 2, effects: [Send(SettingsIntent.switchUnit).inside(2)])
    await test.receive(SettingsIntent.switchUnit) { $0.settings.isMetric = false }
    await test.finish()
  }

  @Test("a test of a row alone lets that intent go to its parent")
  func alone() async {
    let test = TestStore(state: Run(id: 1, meters: 0), reducer: run)
    test.delegate(SettingsIntent.self)
    await test.send(RunIntent.pressUnit, effects: [Send(SettingsIntent.switchUnit)])
    await test.receive(SettingsIntent.switchUnit)
    await test.finish()
  }
}
