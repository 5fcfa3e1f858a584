import Glue
import ProcessSupport
import Testing

@testable import GlueInspector

@Suite("The events of an inspector", .tags(.threads))
struct EventsTests {
  @Test("begin with what is kept, continue with what comes, and end with the inspector")
  func all() async {
    var inspector: Inspector<Names>? = Inspector()
    let store = inspector.map(namesStore)
    store?.dispatch(NamesIntent.signIn(token: "1"))
    let reading = Task { [events = inspector?.events] in
      var lines: [String] = []
      for await line in events! { lines.append(line) }
      return lines
    }
    store?.dispatch(NamesIntent.type("a"))
    let lines = inspector?.lines
    inspector = nil
    _ = consume store
    #expect(await reading.value == lines)
    #expect(lines?.count == 5)
  }

  @Test("each line wakes a waiting reader")
  func waiting() async {
    let inspector = Inspector<Names>()
    let store = namesStore(inspector)
    var events = inspector.events.makeAsyncIterator()
    for number in 1...100 {
      async let line = events.next()
      store.dispatch(NamesIntent.signIn(token: "\(number)"))
      #expect(await line?.hasPrefix("{\"number\":\(number),") == true)
    }
  }

  @Test("a slow reader gets the newest, and the count of those it missed")
  func slow() async throws {
    let inspector = Inspector<Names>(limit: 2)
    let store = namesStore(inspector)
    var events = inspector.events.makeAsyncIterator()
    store.dispatch(NamesIntent.signIn(token: "1"))
    #expect(await events.next()?.hasPrefix("{\"number\":1,") == true)
    for number in 2...9 { store.dispatch(NamesIntent.signIn(token: "\(number)")) }
    #expect(await events.next()?.hasPrefix("{\"dropped\":6,\"base\":[{\"number\":7,") == true)
    #expect(await events.next()?.hasPrefix("{\"number\":8,") == true)
    #expect(await events.next()?.hasPrefix("{\"number\":9,") == true)
  }

  @Test("a reader whose task is canceled ends, and is removed")
  func canceled() async {
    let inspector = Inspector<Names>()
    let reading = Task { [events = inspector.events] in
      for await _ in events {}
    }
    #expect(inspector.log.withLock { $0.readers.count } == 1)
    reading.cancel()
    await reading.value
    #expect(inspector.log.withLock { $0.readers.count } == 0)
  }
}
