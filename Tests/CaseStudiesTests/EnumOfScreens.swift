import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The enum of screens")
struct EnumOfScreensTests {
  @Test("a game goes from screen to screen")
  func winning() async {
    let test = TestStore(state: Game.menu(Menu()), reducer: gameFeature)
    await test.send(MenuIntent.raise) { $0.menu?.limit = 6 }
    await test.send(MenuIntent.play(secret: 5)) { $0 = .round(Round(secret: 5)) }
    await test.send(RoundIntent.guess(3)) { $0.round?.guesses = [3] }
    #expect(test.state.round?.hint == "More")
    await test.send(RoundIntent.guess(5)) { $0 = .won(guesses: 2) }
    await test.finish()
  }

  @Test("a round that is given up leads back to the menu")
  func givingUp() async {
    let test = TestStore(state: Game.round(Round(secret: 5)), reducer: gameFeature)
    await test.send(RoundIntent.giveUp) { $0 = .menu(Menu()) }
    await test.finish()
  }
}
