import Glue
import GlueDescribing
import Testing

@testable import GlueInspector

@Suite("The lanes of effects")
struct LanesTests {
  /// Its description and hash equal those of every other.
  private struct Key: Hashable, Sendable, CustomStringConvertible {
    let secret: String
    var description: String { "key" }
    func hash(into hasher: inout Hasher) {}
  }

  private func effect(_ policy: EffectPolicy, _ id: any Hashable & Sendable) -> any Effect {
    NamesEffect.find("a").scheduled(policy, id: Key(secret: "\(id)"))
  }

  @Test("are shared by equal ids, however these read, unless every reply is wanted")
  func ids() {
    let lanes = Lanes(own: nil)
    #expect(lanes.number(of: effect(.latest, 1)) == 1)
    #expect(lanes.number(of: effect(.concurrent, 2)) == 2)
    #expect(lanes.number(of: effect(.throttle(.zero), 1)) == 1)
    #expect(lanes.number(of: effect(.sequential, 1)) == 0)
    #expect(lanes.number(of: effect(.leading, 1)) == 0)
    #expect(lanes.number(of: NamesEffect.find("a")) == nil)
  }

  @Test("can come from the program, whose closure gets effects without their policy")
  func own() {
    let lanes = Lanes { ($0 as? NamesEffect) == .find("a") ? Key(secret: "1") : nil }
    #expect(lanes.number(of: NamesEffect.find("a")) == 1)
    #expect(lanes.number(of: effect(.sequential, 1)) == 1)
    #expect(lanes.number(of: NamesEffect.find("b")) == nil)
    #expect(lanes.number(of: NamesEffect.find("b").scheduled(.latest, id: Key(secret: "1"))) == 2)
  }

  @Test("have unique numbers, though only 10,000 ids are remembered")
  func many() {
    let lanes = Lanes(own: nil)
    func number(_ id: Int) -> Int? {
      lanes.number(of: NamesEffect.find("a").scheduled(.latest, id: id))
    }
    let numbers = (0..<15_000).map(number)
    #expect(numbers == Array(1...15_000))
    #expect(number(14_999) == 15_000 && number(0) == 15_001)
  }

  @Test("are numbers, so the page has nothing of an id")
  func secret() throws {
    let inspector = Inspector<Int>(
      redact: [.type(Key.self)], lane: { effect in Key(secret: "hunter2 \(effect)") })
    let store = Store(
      state: 0,
      reducer: { (_: inout Int, _: any Intent) -> [any Effect] in
        [effect(.latest, "hunter2"), NamesEffect.find("b")]
      }, monitors: [inspector], report: { _ in })
    store.dispatch(NamesIntent.type(""))
    #expect(try inspector.told[0]["lanes"] as? [[Int]] == [[0, 1], [1, 2]])
    #expect(!inspector.lines.joined().contains("hunter2"))
  }
}
