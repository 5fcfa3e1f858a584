import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The refreshable quote")
struct RefreshableTests {
  private let load = LoadQuote().scheduled(.leading, id: "load")

  @Test("a second refresh is dropped while one runs")
  func twice() async {
    let test = TestStore(state: Quote(), reducer: quote)
    test.add(effectHandler: Quoting(quotes: Quotes(clock: test.clock)))
    await test.send(QuoteIntent.refresh, effects: [load]) { $0.isLoading = true }
    await test.send(QuoteIntent.refresh, effects: [load])
    await test.clock.advance(by: .milliseconds(800))
    await test.receive(QuoteIntent.loaded("Quote 1")) { $0 = Quote(text: "Quote 1") }
    #expect(test.startedEffects == [LoadQuote()])
    await test.finish()
  }

  @Test("a failure keeps the text")
  func failure() async {
    let test = TestStore(state: Quote(text: "Old"), reducer: quote)
    test.stub(LoadQuote.self) { _ in [QuoteIntent.failed("offline")] }
    await test.send(QuoteIntent.refresh, effects: [load]) { $0.isLoading = true }
    await test.receive(QuoteIntent.failed("offline")) {
      $0 = Quote(text: "Old", failure: "offline")
    }
    await test.finish()
  }

  @Test("performing it waits for the quote")
  func performing() async {
    let clock = ImmediateClock()
    let store = Store(state: Quote(), reducer: quote, clock: clock)
    store.add(effectHandler: Quoting(quotes: Quotes(clock: clock)))
    for expected in ["Quote 1", "Quote 2", "Quote 3", "Quote 3"] {
      await store.perform(QuoteIntent.refresh)
      #expect(store.state.text == expected && !store.state.isLoading)
    }
    #expect(store.state.failure == "no quote: Tired()")
  }
}
