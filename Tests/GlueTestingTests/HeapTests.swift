import Glue
import GlueTesting
import Testing

@Suite("The heap of tasks that wait for a clock")
struct HeapTests {
  /// A number whose comparisons are counted.
  private struct Counted: Comparable {
    let number: Int
    let comparisons: Comparisons

    static func < (a: Counted, b: Counted) -> Bool {
      a.comparisons.count += 1
      return a.number < b.number
    }

    static func == (a: Counted, b: Counted) -> Bool { a.number == b.number }
  }

  private final class Comparisons { var count = 0 }

  @Test("ten times the deadlines take fourteen times the comparisons at most, not a hundred times")
  func manyDeadlines() {
    func comparisons(_ count: Int) -> Int {
      let comparisons = Comparisons()
      var heap = Heap<Counted>()
      var generator = Xorshift(seed: 1)
      let numbers = (0..<count).shuffled(using: &generator)
      for number in numbers { heap.insert(Counted(number: number, comparisons: comparisons)) }
      var sorted: [Int] = []
      while let first = heap.popFirst() { sorted.append(first.number) }
      #expect(sorted == Array(0..<count))
      return comparisons.count
    }
    #expect(comparisons(10_000) < 14 * comparisons(1000))
  }
}
