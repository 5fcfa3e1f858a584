import Testing

@testable import GlueJournal

@Suite("A journal gives memory back")
struct GivingMemoryBackTests {
  @Test("of the items that were written, when half were")
  func items() {
    var queue = Queue(.usual)
    for _ in 0..<10 { queue.append(.over([])) }
    let counts = (0..<10).map { _ in
      queue.remove(1, after: .zero)
      return (Mirror(reflecting: queue).descendant("items") as? [Item?])?.count
    }
    #expect(counts == [10, 10, 10, 10, 5, 5, 5, 2, 1, 0])
    #expect(queue.removedCount == 10)
  }

  @Test("of a line of more than a mebibyte, and of no other")
  func lines() {
    var line = LineBuffer()
    line.add(String(repeating: "a", count: 1 << 19))
    line.removeAll()
    #expect(line.bytes.capacity >= 1 << 19)
    line.add(String(repeating: "a", count: 1 << 20 + 1))
    #expect((1 << 20 + 1...1 << 21).contains(line.bytes.capacity))
    line.removeAll()
    #expect(line.bytes.capacity < 1 << 19)
  }
}
