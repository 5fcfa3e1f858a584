import Foundation
import Glue
import GlueLogging
import GlueTesting
import ProcessSupport
import Testing

/// The promise of an `Alignment`: for any predicate it leads from one array to the other.
@Suite struct StateDiffAlignmentTests {
  /// `GLUE_SAMPLES` asks for more.
  private static let seeds = Trials.seeds(Trials.number("GLUE_SAMPLES", or: 2_000))

  private struct Pair: Hashable {
    let old: Int
    let new: Int
  }

  private struct Sample {
    var old: [Int]
    var new: [Int]

    /// Arrays of few values: unrelated ones, and ones of which the second was edited, shuffled or
    /// sorted.
    init(_ generator: inout Xorshift, upTo count: Int) {
      let values = 1 + generator.next(below: 9)
      old = generator.array(upTo: count) { $0.next(below: values) }
      new = old
      switch generator.next(below: 4) {
      case 0: new = generator.array(upTo: count) { $0.next(below: values) }
      case 1: new.shuffle(using: &generator)
      case 2: new.sort()
      default: generator.edit(&new) { $0.next(below: values) }
      }
    }
  }

  /// Does what an alignment says, and returns the pairs that it keeps; nil if that can't be done.
  private func kept(_ alignment: Alignment, _ sample: Sample) -> [Pair]? {
    let rest = alignment.rest
    let removed = alignment.removed + rest.old
    let added = alignment.added + rest.new
    guard Set(removed).count == removed.count, Set(added).count == added.count,
      Set(removed).isSubset(of: sample.old.indices), Set(added).isSubset(of: sample.new.indices),
      alignment.removed == alignment.removed.sorted(), alignment.added == alignment.added.sorted()
    else { return nil }
    let old = Set(sample.old.indices).subtracting(removed).sorted()
    let new = Set(sample.new.indices).subtracting(added).sorted()
    return old.count == new.count ? zip(old, new).map { Pair(old: $0, new: $1) } : nil
  }

  @Test("it gives the new array, with as few edits as the standard library's difference")
  func shortest() {
    for seed in Self.seeds {
      var generator = Xorshift(seed: seed)
      let sample = Sample(&generator, upTo: 60)
      let (old, new) = (sample.old, sample.new)
      let alignment = Alignment(from: old.indices, to: new.indices, budget: .max) {
        old[$0] == new[$1]
      }
      let kept = kept(alignment, sample)
      let isRight = kept?.allSatisfy { old[$0.old] == new[$0.new] } == true
      let count = alignment.removed.count + alignment.added.count
      #expect(isRight && !alignment.isCut, "seed \(seed): \(sample) \(alignment)")
      #expect(count == new.difference(from: old).count, "seed \(seed): \(sample) \(alignment)")
      if !isRight || alignment.isCut { return }
    }
  }

  @Test("it gives the new array wherever its budget ends, and takes no more than that")
  func cut() {
    for seed in Self.seeds {
      var generator = Xorshift(seed: seed)
      let sample = Sample(&generator, upTo: 60)
      let (old, new) = (sample.old, sample.new)
      let budget = generator.next(below: 400)
      var calls = 0
      let alignment = Alignment(from: old.indices, to: new.indices, budget: budget) {
        calls += 1
        return old[$0] == new[$1]
      }
      let isRight = kept(alignment, sample)?.allSatisfy { old[$0.old] == new[$0.new] } == true
      #expect(isRight, "seed \(seed), budget \(budget): \(sample) \(alignment)")
      #expect(calls <= budget + min(old.count, new.count) + 2, "seed \(seed)")
      if !isRight { return }
    }
  }

  @Test("a predicate that lies gets an alignment that keeps only what it called the same")
  func lies() {
    for seed in Self.seeds {
      var generator = Xorshift(seed: seed)
      let sample = Sample(&generator, upTo: 60)
      let odds = 1 + generator.next(below: 10)
      let budget = seed.isMultiple(of: 2) ? Int.max : generator.next(below: 1000)
      var same: Set<Pair> = []
      let alignment = Alignment(
        from: sample.old.indices, to: sample.new.indices, budget: budget
      ) {
        let isSame = generator.next(below: odds) == 0
        if isSame { same.insert(Pair(old: $0, new: $1)) }
        return isSame
      }
      let isRight = kept(alignment, sample)?.allSatisfy(same.contains) == true
      #expect(isRight, "seed \(seed): \(sample) \(alignment)")
      if !isRight { return }
    }
  }

  @Test("a budget that is spent keeps the path that got furthest")
  func furthest() {
    let old = Array(0..<10_000)
    let new = old.filter { !$0.isMultiple(of: 10) }
    let alignment = Alignment(from: old.indices, to: new.indices, budget: 1 << 17) {
      old[$0] == new[$1]
    }
    #expect(alignment.isCut)
    #expect(alignment.removed.count > 200)
    #expect(alignment.removed == alignment.removed.indices.map { 10 * $0 })
    #expect(alignment.added == [])
  }

  @Test("elements that only one array has, though hundreds of elements differ")
  func edits() {
    let edits = GlueDescribing.edits(from: Array(0..<1000), to: Array(300..<1300), by: ==)
    #expect(edits.removed == Array(0..<300))
    #expect(edits.added == Array(1000..<1300))
    let few = GlueDescribing.edits(from: [7, 1, 2], to: [1, 2, 8, 9], by: ==)
    #expect(few.removed == [7])
    #expect(few.added == [8, 9])
  }

  /// Such arrays have made the standard library's difference trap where its predicate began to lie.
  @Test("a monitor survives arrays of few values, in any order", arguments: [48, 100, 150, 200])
  func monitored(count: Int) throws {
    enum ArrayIntent: Intent { case set([Int]) }
    let entries = Transcript<String>()
    let store = Store(
      state: [Int](),
      reducer: { (state: inout [Int], intent: ArrayIntent) -> [any Effect] in
        if case .set(let array) = intent { state = array }
        return []
      }, monitors: [LogMonitor<[Int]> { entries.write($0) }])
    for values in 2...9 {
      var generator = Xorshift(seed: UInt64(values))
      let old = (0..<count).map { _ in generator.next(below: values) }
      var edited = old
      for _ in 0..<10 { generator.edit(&edited) { $0.next(below: values) } }
      for new in [old.shuffled(using: &generator), old.sorted(), edited, Array(old.reversed())] {
        store.dispatch(ArrayIntent.set(old))
        store.dispatch(ArrayIntent.set(new))
        let lines = stateDiff(old, new, limit: .max, valueLimit: .max).lines
        #expect(try DiffOracle.apply(lines, to: Shown("\(old)")).text == "\(new)")
      }
    }
    #expect(entries.lines.count == 8 * 4 * 2)
  }
}
