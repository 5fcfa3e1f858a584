import Glue
import GlueTesting
import Testing

@Suite("A test store that starts with unfinished effects")
struct UnfinishedEffectTests {
  private func recovered(_ unfinished: any Effect...) -> TestStore<Search> {
    let test = TestStore(
      state: Search(text: "a", isSearching: true), reducer: search, unfinished: unfinished)
    test.stub(SearchEffect.self) { _ in [SearchIntent.found(["a"])] }
    return test
  }

  @Test("starts them when they are resumed, with handlers that were added later")
  func resumed() async {
    let test = recovered(SearchEffect.query("a"))
    #expect(test.startedEffects.isEmpty)
    await test.resumeUnfinishedEffects()
    #expect(test.startedEffects == [SearchEffect.query("a")])
    await test.receive(SearchIntent.found(["a"])) { $0 = Search(text: "a", results: ["a"]) }
    await test.finish()
  }

  @Test("waits for the rest of their time")
  func rest() async {
    let test = recovered(query("a"))
    await test.clock.advance(by: .milliseconds(100))
    await test.resumeUnfinishedEffects(after: .milliseconds(50))
    await test.clock.advance(by: .milliseconds(149))
    #expect(test.startedEffects.isEmpty)
    await test.clock.advance(by: .milliseconds(1))
    await test.receive(SearchIntent.found(["a"])) { $0 = Search(text: "a", results: ["a"]) }
    await test.finish()
  }

  @Test("has them canceled before, and superseded")
  func canceled() async {
    let test = recovered(query("a"))
    await test.send(SearchIntent.cleared, effects: [CancelEffects(id: "search")]) { $0 = Search() }
    await test.resumeUnfinishedEffects()
    #expect(test.clock.sleepers == 0)
    await test.finish()
  }

  @Test("names them where they are left")
  func left() async {
    let messages = await failures {
      let test = recovered(query("a"))
      await test.finish()
    }
    #expect(
      messages.first?.hasPrefix(
        """
        1 effect is still in flight at the end of the test:
          \(debounced("a")) of an earlier process waits to be resumed: `resumeUnfinishedEffects()`
        """) == true, "\(messages)")
  }

  @Test("names the cause of what they dispatch")
  func cause() async {
    let messages = await failures {
      let test = recovered(SearchEffect.query("a"))
      await test.resumeUnfinishedEffects()
      await test.receive(SearchIntent.found([]))
    }
    #expect(
      messages.first?.contains(
        #"SearchIntent.found(["a"]), from the effect SearchEffect.query("a") of an earlier process"#
      )
        == true, "\(messages)")
  }

  @Test("fails for a resumption of none")
  func none() async {
    let messages = await failures {
      let test = TestStore(state: Search(), reducer: search)
      await test.resumeUnfinishedEffects()
    }
    #expect(messages == ["No effects to resume: name them by `unfinished:` of the store."])
  }
}
