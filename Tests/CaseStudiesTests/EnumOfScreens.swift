import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The enum of screens")
struct EnumOfScreensTests {
  @Test("a game goes from screen to screen")
  func winning() async {
    let test = TestStore(state: Game.menu(Menu()), reducer: gameFeature)
    await test.send(MenuIntent.raise) { $0.menu?.limit = 20 }
    await test.send(MenuIntent.play(secret: 7)) { $0 = .round(Round(secret: 7)) }
    await test.send(RoundIntent.guess(5)) { $0.round?.guesses = [5] }
    #expect(test.state.round?.hint == "More")
    await test.send(RoundIntent.guess(7)) { $0 = .won(guesses: 2) }
    await test.finish()
  }

  @Test("a round that is given up leads back to the menu")
  func givingUp() async {
    let test = TestStore(state: Game.round(Round(secret: 7)), reducer: gameFeature)
    await test.send(RoundIntent.giveUp) { $0 = .menu(Menu()) }
    await test.finish()
  }
}
