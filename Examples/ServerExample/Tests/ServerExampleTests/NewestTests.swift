import Testing

@testable import ServerExample

@Suite struct NewestTests {
  @Test func aSlowReaderGetsTheNewestAloneAndALaterOneBeginsWithIt() async {
    let newest = Newest<Int>()
    var slow = newest.values().makeAsyncIterator()
    for value in 1...100 { newest.publish(value) }
    #expect(await slow.next() == 100)
    var late = newest.values().makeAsyncIterator()
    #expect(await late.next() == 100)
    newest.publish(101)
    #expect(await slow.next() == 101)
    #expect(await late.next() == 101)
  }

  @Test func whatIsLastIsReadBeforeTheEnd() async {
    let newest = Newest<Int>()
    let early = newest.values()
    newest.publish(1)
    newest.finish()
    for values in [early, newest.values()] {
      #expect(await values.reduce(into: []) { $0.append($1) } == [1])
    }
  }

  @Test func aReaderThatIsCancelledIsForgotten() async {
    let newest = Newest<Int>()
    let values = newest.values()
    #expect(newest.readerCount == 1)
    let reader = Task { for await _ in values {} }
    reader.cancel()
    await reader.value
    #expect(newest.readerCount == 0)
  }
}
