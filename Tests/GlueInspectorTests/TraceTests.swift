import Foundation
import Glue
import GlueTesting
import Testing

@testable import GlueInspector

@Suite("A trace")
struct TraceTests {
  private func events(of inspector: Inspector<Names>) throws -> [[String: Any]] {
    let file = TemporaryFile()
    try inspector.writeTrace(to: file.path)
    return try object(file.text)["traceEvents"] as? [[String: Any]] ?? []
  }

  @Test("has commits as instants, effects from their start to their end, and flows for causes")
  func events() throws {
    let inspector = Inspector<Names>()
    namesStore(inspector).dispatch(NamesIntent.type("a"))
    let events = try events(of: inspector)
    #expect(events.map { $0["ph"] as? String } == ["M", "M", "i", "b", "i", "s", "f", "e"])
    for event in events where event["ph"] as? String != "M" {
      #expect((event["ts"] as? Int).map { $0 > 1_000_000_000_000_000 } == true)
    }
    #expect(events[3]["id"] as? String == "1.0" && events[7]["id"] as? String == "1.0")
    #expect(events[3]["name"] as? String == "NamesEffect.find")
    #expect(events[5]["ts"] as? Int == events[2]["ts"] as? Int)
    #expect(events[6]["ts"] as? Int == events[4]["ts"] as? Int)
  }

  @Test("says how many effects it leaves out, and where")
  func leftOut() throws {
    let inspector = Inspector<Names>()
    let store = Store(
      state: Names(),
      reducer: { (_: inout Names, _: any Intent) -> [any Effect] in
        Array(repeating: NamesEffect.find("a"), count: 1000)
      }, monitors: [inspector])
    store.on(NamesEffect.self) { _, _ in }
    store.dispatch(NamesIntent.type(""))
    let file = TemporaryFile()
    try inspector.writeTrace(to: file.path)
    #expect(
      try object(file.text)["otherData"] as? [String: Int] == [
        "commitsGone": 0, "effectsLeftOut": 950,
      ])
    let events = try events(of: inspector)
    #expect(events.count { $0["ph"] as? String == "b" } == 50)
    #expect(events.count { $0["name"] as? String == "950 more effects of #1, left out" } == 1)
  }

  @Test("every beginning has one end: effects canceled, still running, or partly forgotten")
  func ends() async throws {
    let inspector = Inspector<Names>(limit: 5)
    let clock = TestClock()
    let store = Store(
      state: Names(),
      reducer: { (state: inout Names, intent: NamesIntent) -> [any Effect] in
        names(state: &state, intent: intent).map { $0.scheduled(.latest, id: "find") }
      }, monitors: [inspector], clock: clock)
    store.on(NamesEffect.self) { _, _ async in try? await clock.sleep(for: .seconds(1)) }
    for text in ["a", "b", "c", "d", "e", "f", "g"] { store.dispatch(NamesIntent.type(text)) }
    await clock.rest()
    let events = try events(of: inspector)
    let begun = events.filter { $0["ph"] as? String == "b" }.map { $0["id"] as? String }
    let ended = events.filter { $0["ph"] as? String == "e" }.map { $0["id"] as? String }
    #expect(begun == ["3.0", "4.0", "5.0", "6.0", "7.0"])
    #expect(Set(begun) == Set(ended) && ended.count == 5)
    await store.shutdown()
  }
}
