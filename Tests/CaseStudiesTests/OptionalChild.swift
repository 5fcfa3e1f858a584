import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The optional child")
struct OptionalChildTests {
  private let lookUp = LookUp(number: 1).scheduled(.latest, id: "look up")

  @Test("is answered")
  func answering() async {
    let test = TestStore(state: Numbers(fact: Fact(number: 1)), reducer: numbersFeature)
    test.add(effectHandler: Facts(clock: test.clock))
    await test.send(
      FactIntent.ask, in: Numbers.Part.fact, effects: [lookUp.inside(Numbers.Part.fact)])
    await test.clock.advance(by: .seconds(1))
    await test.receive(FactIntent.answered("1 is odd"), in: Numbers.Part.fact) {
      $0.fact?.text = "1 is odd"
    }
    await test.finish()
  }

  @Test("no answer to a sheet that is gone reaches the next one")
  func late() async {
    let test = TestStore(state: Numbers(), reducer: numbersFeature)
    test.add(effectHandler: Facts(clock: test.clock))
    test.store.endEffects(with: .part(\.fact, id: Numbers.Part.fact))
    await test.send(NumbersIntent.open) { $0.fact = Fact(number: 1) }
    await test.send(
      FactIntent.ask, in: Numbers.Part.fact, effects: [lookUp.inside(Numbers.Part.fact)])
    await test.send(NumbersIntent.next) { $0.number = 2 }
    await test.send(NumbersIntent.open)
    await test.send(FactIntent.done, in: Numbers.Part.fact) { $0.fact = nil }
    await test.send(NumbersIntent.open) { $0.fact = Fact(number: 2) }
    await test.clock.advance(by: .seconds(1))
    await test.finish()
  }
}
