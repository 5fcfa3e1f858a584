import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The stack of screens")
struct StackOfScreensTests {
  private func load(_ title: String, _ id: Int) -> LastingEffect {
    LoadPage(title: title).lasting(id: "load").inside(id)
  }

  private func makeTest() -> TestStore<Pages> {
    let test = TestStore(
      state: Pages(), reducer: pagesFeature, lasting: { lastingEach($0.stack, loading) },
      began: [load("Swift", 1)])
    test.add(effectHandler: PageLoading(clock: test.clock))
    return test
  }

  @Test("a page opens another one, each loads, and each closes itself")
  func opening() async {
    let test = makeTest()
    await test.clock.advance(by: .seconds(1))
    await test.receive(
      PageIntent.loaded("All about Swift"), in: 1, ceased: [load("Swift", 1)]
    ) { $0.stack[0].text = "All about Swift" }
    await test.send(PageIntent.open("Birds"), in: 1, began: [load("Birds", 2)]) {
      $0.stack.append(Page(id: 2, title: "Birds"))
      $0.lastID = 2
    }
    await test.send(PageIntent.close, in: 2, ceased: [load("Birds", 2)]) { $0.stack.removeLast() }
    await test.clock.advance(by: .seconds(1))
    await test.finish()
  }

  @Test("no page gets the text of the one that was there before")
  func late() async {
    let test = makeTest()
    await test.withExhaustivity(.off) {
      await test.send(PageIntent.open("Birds"), in: 1)
      await test.send(PageIntent.open("Swift"), in: 2)
      await test.send(PagesIntent.closeAll)
      await test.send(PageIntent.open("Swift"), in: 1)
    }
    await test.clock.advance(by: .seconds(1))
    await test.receive(case: PageIntent.loaded, in: 1, ceased: [load("Swift", 1)]) { state, text in
      state.stack[0].text = text
    }
    await test.receive(case: PageIntent.loaded, in: 4, ceased: [load("Swift", 4)]) { state, text in
      state.stack[1].text = text
    }
    await test.finish()
  }
}
