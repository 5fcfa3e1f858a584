import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The search")
struct SearchTests {
  private func makeTest() -> TestStore<Search> {
    let test = TestStore(state: Search(), reducer: search)
    test.add(effectHandler: Finding(library: Library(clock: test.clock)))
    return test
  }

  private func finding(_ text: String) -> ScheduledEffect {
    FindTitles(text: text).scheduled(.debounce(.milliseconds(300)), id: "find")
  }

  @Test("finds what was typed, after a pause")
  func finding() async {
    let test = makeTest()
    await test.send(SearchIntent.edit("o"), effects: [finding("o")]) {
      $0.text = "o"
      $0.isSearching = true
    }
    await test.clock.advance(by: .milliseconds(200))
    await test.send(SearchIntent.edit("od"), effects: [finding("od")]) { $0.text = "od" }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(SearchIntent.found(["Odyssey"])) {
      $0.titles = ["Odyssey"]
      $0.isSearching = false
    }
    #expect(test.startedEffects.count == 1)
    await test.finish()
  }

  @Test("an edit cancels a search that runs, and an empty text ends all")
  func canceling() async {
    let test = makeTest()
    await test.withExhaustivity(.off) {
      await test.send(SearchIntent.edit("e")) { $0.text = "e" }
      await test.clock.advance(by: .milliseconds(400))
      await test.send(SearchIntent.edit("em")) { $0.text = "em" }
      await test.clock.advance(by: .milliseconds(400))
    }
    #expect(test.startedEffects.count == 2)
    await test.send(SearchIntent.edit(""), effects: [CancelEffects(id: "find")]) {
      $0 = Search()
    }
    await test.clock.advance(by: .seconds(1))
    await test.finish()
  }
}
