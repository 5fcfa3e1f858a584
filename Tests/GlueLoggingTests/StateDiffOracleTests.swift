import Foundation
import Glue
import GlueDescribing
import GlueTesting
import ProcessSupport
import Testing

/// The differences that `stateDiff` lists explain the change: applied to the old value, they give
/// the new one.
@Suite struct StateDiffOracleTests {
  /// `GLUE_SAMPLES` asks for more.
  private static let seeds = Trials.seeds(Trials.number("GLUE_SAMPLES", or: 600))

  private func text(_ value: Any) -> String { shortDescription(of: value, limit: .max) }

  /// Whether the lines lead from one value to the other, and are none if these look the same.
  private func check(_ old: Any, _ new: Any, seed: UInt64) -> Bool {
    let lines = stateDiff(old, new, limit: .max, valueLimit: .max).lines
    let (start, expected) = (text(old), text(new))
    let result = Result { try DiffOracle.apply(lines, to: Shown(start)).text }
    let isExplained = (try? result.get()) == expected && lines.isEmpty == (start == expected)
    #expect(
      isExplained,
      """
      seed \(seed)
      old: \(start)
      new: \(expected)
      got: \(result)
      \(lines.joined(separator: "\n"))
      """)
    return isExplained
  }

  @Test("in values of all kinds, few changes or all new")
  func values() {
    for seed in Self.seeds {
      var generator = Xorshift(seed: seed)
      let old = generator.sample()
      var new = generator.next(below: 4) == 0 ? generator.sample() : old
      generator.change(&new)
      if !check(old, new, seed: seed) { return }
    }
  }

  @Test("in arrays, with ids or without, of elements made anew or not")
  func arrays() {
    struct State {
      var items: [Sample.Item]
      var numbers: [Int]
      var lines: [Sample.Line]
      var rows: [Sample.Row]
    }
    for seed in Self.seeds {
      var generator = Xorshift(seed: seed)
      var old = State(
        items: (0..<generator.next(below: 10)).map { Sample.Item(id: $0, name: "", tags: []) },
        numbers: generator.array(upTo: 12) { $0.next(below: 100) },
        lines: generator.array(upTo: 6) { $0.line() }, rows: generator.array(upTo: 4) { $0.row() }
      )
      old.items.shuffle(using: &generator)
      var new = old
      generator.edit(&new.items) { $0.item() }
      if generator.next(below: 4) == 0 { new.items.shuffle(using: &generator) }
      generator.edit(&new.numbers) { $0.next(below: 100) }
      generator.edit(&new.lines) { $0.line() }
      generator.edit(&new.rows) { $0.row() }
      if !check(old, new, seed: seed) { return }
    }
  }

  @Test("a value is the same as a copy, and as one that was made in the same way")
  func equalValues() {
    for seed in Self.seeds {
      var (a, b) = (Xorshift(seed: seed), Xorshift(seed: seed))
      let diff = stateDiff(a.sample(), b.sample())
      #expect(diff.isEmpty, "seed \(seed): \(diff)")
      if !diff.isEmpty { return }
    }
  }
}
