import Glue
import GlueDescribing
import Testing

/// How much `stateDiff` looks at, counted, as the state grows.
@Suite struct StateDiffCostTests {
  private final class Work {
    var mirrors = 0
    var equalities = 0
  }

  /// A value without parts that counts how often it is looked at.
  private struct Leaf: Equatable, CustomReflectable {
    var value: Int
    let work: Work

    /// Makes values that are equal differ in memory.
    var noise = 0

    var customMirror: Mirror {
      work.mirrors += 1
      return Mirror(self, children: [])
    }

    static func == (a: Leaf, b: Leaf) -> Bool {
      a.work.equalities += 1
      return a.value == b.value
    }
  }

  private func leaves(_ values: some Sequence<Int>, _ work: Work, noise: Int = 0) -> [Leaf] {
    values.map { Leaf(value: $0, work: work, noise: noise) }
  }

  @Test("values with the same bytes are not compared by parts")
  func whatIsTheSameInMemoryIsNotLookedAt() {
    let work = Work()
    let old = leaves(0..<1000, work)
    var new = old
    #expect(stateDiff(old, new).isEmpty)
    new[500].value = -1
    #expect(stateDiff(old, new, limit: 0).unlistedCount == 1)
    new.insert(new[0], at: 100)
    new.remove(at: 100)
    new[500].value = 500
    #expect(stateDiff(old, new).isEmpty)
    #expect(work.equalities == 3, "with each other, and each with itself")
    #expect(work.mirrors == 0)
  }

  @Test(
    "equal elements are compared twice at most and not looked into", arguments: [100, 1000, 10_000])
  func equalElementsAreComparedTwiceAtMostAndNotLookedInto(count: Int) {
    let work = Work()
    _ = stateDiff(leaves(0..<count, work), leaves(0..<count, work, noise: 1))
    #expect(work.equalities == 2 * count)
    #expect(work.mirrors == 0)
  }

  @Test("values of a dictionary are compared once", arguments: [100, 1000, 10_000])
  func valuesOfADictionaryAreComparedOnce(count: Int) {
    let work = Work()
    func entries(noise: Int) -> [Int: Leaf] {
      Dictionary(
        uniqueKeysWithValues: (0..<count).map { ($0, Leaf(value: $0, work: work, noise: noise)) })
    }
    _ = stateDiff(entries(noise: 0), entries(noise: 1))
    #expect(work.equalities == count)
  }

  @Test(
    "aligning arrays takes a few comparisons for each element and ten thousand more",
    arguments: [100, 1000, 10_000])
  func aligningArraysTakesAFewComparisonsForEachElementAndTenThousandMore(count: Int) {
    let work = Work()
    let old = leaves(0..<count, work)
    let kept = (0..<count).filter { !$0.isMultiple(of: 10) }
    _ = stateDiff(old, leaves(kept, work, noise: 1))
    #expect(work.equalities <= 5 * (count + kept.count) + 10_000)
  }

  /// Arrays in arrays, of different lengths at every level, the difference being innermost.
  @Test("nesting costs no more than its parts", arguments: [10, 100, 1000])
  func nestingCostsNoMoreThanItsParts(depth: Int) {
    indirect enum Tree { case leaf(Leaf), branch([Tree]) }
    let work = Work()
    func tree(_ value: Int, extra: Int) -> Tree {
      (0..<depth).reduce(.leaf(Leaf(value: value, work: work, noise: extra))) { inner, level in
        .branch([inner] + (0..<extra).map { _ in .leaf(Leaf(value: level, work: work)) })
      }
    }
    let diff = stateDiff(tree(1, extra: 1), tree(2, extra: 2), limit: 1)
    #expect(diff.unlistedCount == depth)
    #expect(work.equalities <= 40 * depth)
  }

  /// Endless, and as many at each level as fill any time.
  private struct Endless: CustomReflectable {
    var seed: Int
    let width: Int
    let work: Work
    var customMirror: Mirror {
      work.mirrors += 1
      let parts = (0..<width).map { Endless(seed: seed &* 3 &+ $0, width: width, work: work) }
      return Mirror(self, unlabeledChildren: parts, displayStyle: .struct)
    }
  }

  @Test("endless mirrors end", arguments: [1, 2, 3])
  func endlessMirrorsEnd(width: Int) {
    let work = Work()
    let diff = stateDiff(
      Endless(seed: 1, width: width, work: work), Endless(seed: 2, width: width, work: work),
      work: 20_000)
    #expect(diff.listed.isEmpty)
    #expect(diff.uncomparedCount > 0)
    #expect(work.mirrors == 2 * 20_000)
  }

  /// Each hides another, which hides parts that take work.
  @Test("values with equal texts are compared by parts within the budget")
  func whatEqualTextsHideIsLookedIntoWithinTheWork() {
    struct Part: CustomReflectable {
      let noise: Int
      let work: Work
      var customMirror: Mirror {
        work.mirrors += 1
        return Mirror(self, children: ["same": 1])
      }
    }
    struct Inner: CustomStringConvertible {
      var parts: [Part]
      var description: String { "inner" }
    }
    struct Outer: CustomStringConvertible {
      var inner: Inner
      var description: String { "outer" }
    }
    let work = Work()
    func outers(noise: Int) -> [Outer] {
      let parts = (0..<100).map { _ in Part(noise: noise, work: work) }
      return (0..<1000).map { _ in Outer(inner: Inner(parts: parts.map { $0 })) }
    }
    #expect(stateDiff(outers(noise: 0)[0], outers(noise: 1)[0], work: 1000).isEmpty)
    work.mirrors = 0
    let diff = stateDiff(outers(noise: 0), outers(noise: 1), work: 1000)
    #expect(diff.listed.isEmpty)
    #expect(diff.uncomparedCount > 0)
    #expect(work.mirrors <= 2 * 1000)
  }

  @Test("values beyond the budget are compared by their equality")
  func whatIsBeyondTheWorkIsComparedByItsEquality() {
    struct Pair: Equatable { var a: Int, b: Int }
    let old = (0..<1000).map { Pair(a: $0, b: $0) }
    let new = (0..<1000).map { Pair(a: $0, b: $0 == 990 ? -1 : -$0) }
    #expect(stateDiff(old, new, limit: 1, work: 100).unlistedCount == 998)
    struct Opaque { var a: Int, b: [Int] }
    let unknown = stateDiff(
      (0..<1000).map { Opaque(a: $0, b: [$0]) }, (0..<1000).map { Opaque(a: $0, b: [$0]) },
      work: 100)
    #expect(unknown.listed.isEmpty)
    #expect(unknown.lines.count == 1)
    #expect(unknown.uncomparedCount > 900)
  }

  @Test("a history is its present and its counts")
  func aHistoryIsItsPresentAndItsCounts() {
    let work = Work()
    let reducer = undoable(
      { (leaf: inout Leaf, intent: any Intent) -> [any Effect] in
        if case CounterIntent.add(let number) = intent { leaf.value += number }
        return []
      }, limit: 100)
    var history = History(Leaf(value: 0, work: work))
    for _ in 0..<200 { _ = reducer(&history, CounterIntent.add(1)) }
    let old = history
    _ = reducer(&history, CounterIntent.add(1))
    work.equalities = 0
    #expect(stateDiff(old, history, limit: 0).unlistedCount == 1)
    #expect(work.equalities == 3)
  }
}
