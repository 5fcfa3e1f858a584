import Glue
import Testing

@Suite("The article on performance")
struct PerformanceArticle {
  private enum ImportIntent: Intent { case line(String) }

  @Test("a producer waits now and then")
  func backPressure() async {
    let store = Store(state: 0) { (state: inout Int, intent: ImportIntent) -> [any Effect] in
      state += 1
      return []
    }
    let lines = Array(repeating: "line", count: 2001)

    for (number, line) in lines.enumerated() {
      store.dispatch(ImportIntent.line(line))
      if number % 1000 == 0 { await store.delivered() }
    }

    #expect(store.state == 2001)
  }
}
