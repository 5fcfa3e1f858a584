import Foundation
import Glue
import GlueLogging
import GlueTesting
import ProcessSupport
import Testing

/// A class that does as it should: its lock guards what any thread may change.
private final class Cache: @unchecked Sendable {
  private let lock = NSLock()
  private var entries: [String] = []
  private var last: [Int: String]?

  func change(_ number: Int) {
    lock.withLock {
      entries = (0..<(number % 10)).map { "a text that is too long for its place, number \($0)" }
      last = number.isMultiple(of: 2) ? nil : [number: entries.last ?? ""]
    }
  }
}

private actor Session {
  private var lines: [String] = []

  func change(_ number: Int) {
    lines = (0..<(number % 10)).map { "a text that is too long for its place, number \($0)" }
  }
}

private final class Owner: Sendable {}

private struct Use: Intent, Effect {
  var cache = Cache()
  var session = Session()
  var number = 0
}

/// Descriptions of objects and actors, which are not reflected.
@Suite struct ObjectTests {
  @Test("an object is shown by its type and a number that stays its own")
  func numbers() throws {
    let owners = (0..<3).map { _ in Owner() }
    let texts = owners.map { shortDescription(of: $0, limit: 100) }
    #expect(Set(texts).count == 3)
    #expect(texts.allSatisfy { $0.wholeMatch(of: /Owner #[0-9]+/) != nil })
    #expect(owners.map { shortDescription(of: [$0], limit: 100) } == texts.map { "[\($0)]" })
    #expect(shortDescription(of: Session(), limit: 100).hasPrefix("Session #"))
  }

  @Test("a number is not given again, not even to what comes to lie at the same place")
  func numbersOfTheDead() {
    var numbers: Set<String> = []
    for _ in 0..<5000 { numbers.insert(shortDescription(of: Owner(), limit: 100)) }
    #expect(numbers.count == 5000)
  }

  @Test("an object that lives keeps its number, however many are shown meanwhile")
  func numbersOfTheLiving() {
    let owners = (0..<3000).map { _ in Owner() }
    let texts = owners.map { shortDescription(of: $0, limit: 100) }
    for _ in 0..<5000 { _ = shortDescription(of: Owner(), limit: 100) }
    #expect(owners.map { shortDescription(of: $0, limit: 100) } == texts)
  }

  @Test("to be shown keeps no object alive")
  func lifetime() {
    var owner: Owner? = Owner()
    weak let weakOwner = owner
    _ = shortDescription(of: owner as Any, limit: 100)
    owner = nil
    #expect(weakOwner == nil)
  }

  @Test("objects are the same if they are identical or, if they are Equatable, equal")
  func sameness() {
    final class Box: Equatable {
      let value: Int
      init(_ value: Int) { self.value = value }
      static func == (a: Box, b: Box) -> Bool { a.value == b.value }
    }
    let (owner, box) = (Owner(), Box(1))
    #expect(stateDiff([owner], [owner, owner]).lines.count == 1)
    #expect(stateDiff(["a": owner], ["a": owner]).isEmpty)
    #expect(stateDiff(box, Box(1)).isEmpty)
    func text(_ value: Any) -> String { shortDescription(of: value, limit: 100) }
    let (other, two) = (Owner(), Box(2))
    #expect(stateDiff(owner, other).lines == ["\(text(owner)) → \(text(other))"])
    #expect(stateDiff(box, two).lines == ["\(text(box)) → \(text(two))"])
  }

  @Test("no mirror of an object is asked for, nor its id")
  func mirrors() {
    final class Shy: CustomReflectable, Identifiable, Sendable {
      var id: Int {
        Issue.record("looked into")
        return 1
      }
      var customMirror: Mirror {
        Issue.record("looked into")
        return Mirror(self, children: [])
      }
    }
    let (old, new) = (Shy(), Shy())
    #expect(stateDiff([old], [old, new]).lines.count == 1)
    #expect(stateDiff(old, new).lines.count == 1)
  }

  @Test("an object's own description is its text, unless that is its address")
  func descriptions() {
    final class Named: CustomStringConvertible {
      var description: String { "the named" }
    }
    #expect(shortDescription(of: Named(), limit: 100) == "the named")
    #expect(stateDiff(Named(), Named()).lines == ["the named (no visible difference)"])
    #expect(shortDescription(of: NSObject(), limit: 100).hasPrefix("NSObject #"))
  }

  @Test("references that are weak or unowned are not read, and so not compared")
  func looseReferences() {
    struct Row: Sendable {
      unowned let owner: Owner
      unowned(unsafe) let unsafe: Owner
      weak let parent: Owner?
      var number = 1
    }
    func row(_ owner: Owner = Owner(), number: Int = 1) -> Row {
      Row(owner: owner, unsafe: owner, parent: owner, number: number)
    }
    let old = row()
    var new = old
    new.number = 2
    #expect(stateDiff(old, new).lines == ["number: 1 → 2"])
    let hidden = "(weak or unowned)"
    #expect(
      shortDescription(of: old, limit: 200)
        == "Row(owner: \(hidden), unsafe: \(hidden), parent: \(hidden), number: 1)")
    #expect(stateDiff(row(), row()).isEmpty)
  }

  /// If descriptions inspected objects, this would crash, and the thread sanitizer would report a
  /// race.
  @Test(
    "objects and actors in intents, effects and states may be in use meanwhile", .tags(.threads))
  func inUse() async {
    let use = Use()
    let ends = Transcript<String>()
    let store = Store(
      state: use,
      reducer: { (state: inout Use, intent: Use) -> [any Effect] in
        state = intent
        return [intent]
      }, monitors: [LogMonitor<Use> { _ in }])
    async let changes: Void = Task.detached {
      var number = 0
      while ends.lines.isEmpty {
        number += 1
        use.cache.change(number)
        await use.session.change(number)
      }
    }.value
    await onThread {
      for number in 1...2000 {
        store.dispatch(Use(cache: use.cache, session: use.session, number: number))
      }
      ends.write("all are dispatched")
    }
    await changes
    #expect(store.state.number == 2000)
  }
}
