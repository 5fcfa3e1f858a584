// Shared settings: one place in the state, several features that read and change it.
//
// A feature that reads the settings has a computed property as its part, with a copy of them that
// is written back. A feature that only changes them, such as a row, asks for it by an intent that
// leaves its part: `leavesParts` lets it pass by all features in between.

import Glue
import GlueConsole

struct Settings: Equatable, Sendable { var isMetric = true }

enum SettingsIntent: Intent, Equatable {
  static let leavesParts = true
  case switchUnit
}

func settings(state: inout Settings, intent: SettingsIntent) -> [any Effect] {
  switch intent {
  case .switchUnit: state.isMetric.toggle()
  }
  return []
}

extension Settings {
  /// The meters of a kilometer or a mile.
  var unit: Int { isMetric ? 1000 : 1609 }

  func text(_ meters: Int) -> String { "\(meters / unit) \(isMetric ? "km" : "mi")" }
}

struct Goal: Equatable, Sendable {
  var meters: Int
  var settings: Settings
}

enum GoalIntent: Intent { case raise, useMiles }

func goal(state: inout Goal, intent: GoalIntent) -> [any Effect] {
  switch intent {
  case .raise: state.meters += state.settings.unit
  case .useMiles: state.settings.isMetric = false
  }
  return []
}

struct Run: Equatable, Sendable, Identifiable {
  let id: Int
  var meters: Int
}

enum RunIntent: Intent { case extend, pressUnit }

func run(state: inout Run, intent: RunIntent) -> [any Effect] {
  switch intent {
  case .extend:
    state.meters += 1000
    return []
  case .pressUnit: return [Send(SettingsIntent.switchUnit)]
  }
}

struct Diary: Equatable, Sendable {
  var settings = Settings()
  var meters = 10_000
  var runs = [Run(id: 1, meters: 8000), Run(id: 2, meters: 21_100)]

  var goal: Goal {
    get { Goal(meters: meters, settings: settings) }
    set { (meters, settings) = (newValue.meters, newValue.settings) }
  }
}

let diaryFeature: Reducer<Diary> = combineReducers {
  withKey(\.settings, use: settings)
  withKey(\.goal, use: goal)
  forEach(\.runs, use: run)
}

let sharedSettingsStudy = Study(
  "shared-settings", "one place that several features read and change",
  keys: "u: unit   g: raise the goal   m: miles   1-2: extend a run   x: unit, by a run",
  store: { Store(state: Diary(), reducer: diaryFeature) },
  draw: { state in
    ["Goal: \(state.settings.text(state.meters))"]
      + state.runs.map { "Run \($0.id): \(state.settings.text($0.meters))" }
  },
  press: { key, _ in
    switch key {
    case .text("u"): SettingsIntent.switchUnit
    case .text("g"): GoalIntent.raise
    case .text("m"): GoalIntent.useMiles
    case .text("x"): ElementIntent(id: 1, intent: RunIntent.pressUnit)
    case .text("1"): ElementIntent(id: 1, intent: RunIntent.extend)
    case .text("2"): ElementIntent(id: 2, intent: RunIntent.extend)
    default: nil
    }
  })
