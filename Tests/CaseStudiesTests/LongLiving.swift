import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The long-living effect")
struct LongLivingTests {
  private let kitchen = FollowSensor(room: .kitchen).lasting(id: "sensor")
  private let cellar = FollowSensor(room: .cellar).lasting(id: "sensor")

  @Test("follows the selected room from the first state on")
  func rooms() async {
    let test = TestStore(
      state: Thermometer(), reducer: thermometer, lasting: following, began: [kitchen])
    test.add(effectHandler: Following(clock: test.clock))
    await test.clock.advance(by: .seconds(1))
    await test.receive(ThermometerIntent.measured(22)) { $0.degrees = 22 }
    await test.send(ThermometerIntent.select(.cellar), began: [cellar], ceased: [kitchen]) {
      $0 = Thermometer(room: .cellar)
    }
    await test.clock.advance(by: .seconds(1))
    await test.receive(ThermometerIntent.measured(10)) { $0.degrees = 10 }
    await test.send(ThermometerIntent.select(nil), ceased: [cellar]) { $0 = Thermometer(room: nil) }
    await test.clock.advance(by: .seconds(1))
    await test.finish()
  }
}
