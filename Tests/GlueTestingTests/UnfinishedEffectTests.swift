import Glue
import GlueTesting
import Testing

@Suite("A test store that starts with unfinished effects")
struct UnfinishedEffectTests {
  private func recovered(
    _ unfinished: any Effect..., age: Duration = .zero
  ) -> TestStore<Search> {
    TestStore(
      state: Search(text: "a", isSearching: true), reducer: search, unfinished: unfinished, age: age
    )
  }

  private func stub(_ test: TestStore<Search>) {
    test.stub(SearchEffect.self) { _ in [SearchIntent.found(["a"])] }
  }

  @Test("starts them when their handler is added")
  func resumed() async {
    let test = recovered(SearchEffect.query("a"))
    #expect(test.startedEffects.isEmpty)
    stub(test)
    #expect(test.startedEffects == [SearchEffect.query("a")])
    await test.receive(SearchIntent.found(["a"])) { $0 = Search(text: "a", results: ["a"]) }
    await test.finish()
  }

  @Test("waits for the rest of their time")
  func rest() async {
    let test = recovered(query("a"), age: .milliseconds(50))
    await test.clock.advance(by: .milliseconds(100))
    stub(test)
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
    stub(test)
    #expect(test.clock.sleepers == 0)
    await test.finish()
  }

  private final class Numbering: Monitor {
    let numbers = Locked<[Int]>([])
    func observe(_ commit: Commit<Search>) { numbers.withLock { $0.append(commit.number) } }
  }

  @Test("numbers its commits from 1")
  func numbers() async {
    let numbering = Numbering()
    let test = TestStore(
      state: Search(), reducer: search, monitors: [numbering], unfinished: [query("a")])
    await test.send(SearchIntent.cleared, effects: [CancelEffects(id: "search")])
    #expect(numbering.numbers.withLock { $0 } == [1])
    await test.finish()
  }

  @Test("returns no unwritten record from a shutdown")
  func written() async {
    let test = recovered(query("a"))
    await test.send(SearchIntent.cleared, effects: [CancelEffects(id: "search")]) { $0 = Search() }
    #expect(await test.store.shutdown(finishing: .zero, within: .seconds(1)) == [])
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
          \(debounced("a")) of an earlier process waits for a handler: add one, or a stub
        """) == true, "\(messages)")
  }

  @Test("names the cause of what they dispatch")
  func cause() async {
    let messages = await failures {
      let test = recovered(SearchEffect.query("a"))
      stub(test)
      await test.receive(SearchIntent.found([]))
    }
    #expect(
      messages.first?.contains(
        #"SearchIntent.found(["a"]), from the effect SearchEffect.query("a") of an earlier process"#
      )
        == true, "\(messages)")
  }
}
