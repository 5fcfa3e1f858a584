import Foundation
import Glue
import GlueSimulation
import GlueTesting
import Synchronization
import Testing

@testable import GlueJournal

@Suite("J13: digests of states")
struct DigestTests {
  private enum Shape: Hashable, Codable {
    case none, round(Double), named(name: String, sides: Int)
  }

  private struct Absent: Encodable {
    private enum Key: CodingKey { case value }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      try values.encodeNil(forKey: .value)
    }
  }

  private class Base: Codable { var base = 1 }

  private struct Mixed: Codable, Equatable {
    var number = 0
    var small: Int8 = 0
    var large: UInt64 = 0
    var real = 0.0
    var single: Float = 0
    var isOn = false
    var text = ""
    var maybe: Int?
    var list: [Int] = []
    var lists: [[String]] = []
    var set: Set<Int> = []
    var sets: Set<Set<String>> = []
    var names: [String: Int] = [:]
    var numbers: [Int: [String]] = [:]
    var shapes: [Shape: Shape] = [:]
    var data = Data()
    var price = Decimal(0)
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var place: URL?
    var wide: Int128 = 0
  }

  private static let sample: Mixed = {
    var sample = Mixed(number: -3, small: 7, large: .max, real: 0.1, single: 2.5, isOn: true)
    sample.text = "a text that is longer than sixteen bytes, äöü"
    sample.maybe = 0
    sample.list = [1, 2, 3]
    sample.lists = [[], ["a"]]
    sample.set = Set(0..<20)
    sample.sets = [["a", "b"], ["c"], []]
    sample.names = Dictionary(uniqueKeysWithValues: (0..<20).map { ("name \($0)", $0) })
    sample.numbers = [1: ["one"], 2: []]
    sample.shapes = [.round(1): .none, .named(name: "x", sides: 4): .round(2), .none: .none]
    sample.data = Data([1, 2, 3])
    sample.price = Decimal(string: "12.50") ?? 0
    sample.place = URL(string: "https://example.org/a")
    sample.wide = 1 << 100
    return sample
  }()

  @Test("a digest is the same in every process, for any order of sets and dictionaries")
  func pinned() throws {
    let digest = try #require(try Digest.of(Self.sample))
    #expect(digest.sum == 8_982_106_392_609_034)
    #expect(digest.properties.map(\.name).prefix(3) == ["number", "small", "large"])
    #expect(digest.properties.map(\.sum).prefix(3) == [26952, 59899, 29601])
    #expect(digest.properties.count == 16 && digest.depth == 4)
    let others = try [
      Digest.of(Self.sample.shapes)?.sum, Digest.of([1, 2])?.sum, Digest.of([nil, 1])?.sum,
      Digest.of(Absent())?.sum,
    ]
    #expect(
      others == [
        8_198_975_857_790_229, 8_441_084_765_575_490, 2_951_856_723_976_912,
        3_996_299_321_894_983,
      ])
  }

  @Test("a decoded state has the digest of the encoded one", arguments: 0..<200)
  func recoded(seed: Int) throws {
    var random = Xorshift(seed: UInt64(seed))
    var state = Self.sample
    for _ in 0..<20 { change(&state, &random) }
    let coding = JournalFormat(of: Mixed.self, intents: []).coding
    #expect(try Digest.of(coded(coding.recoded(state)))?.sum == Digest.of(state)?.sum)
  }

  @Test("equal states have equal digests", arguments: 0..<40)
  func agreesWithEquality(seed: Int) throws {
    var random = Xorshift(seed: UInt64(seed))
    var states = [Mixed()]
    for _ in 0..<60 {
      var state = states.randomElement(using: &random) ?? Mixed()
      change(&state, &random)
      states.append(state)
    }
    let digests = try states.map { try Digest.of($0)?.sum }
    for (index, state) in states.enumerated() {
      for other in 0..<index {
        #expect((state == states[other]) == (digests[index] == digests[other]), "seed \(seed)")
      }
    }
  }

  private func change(_ state: inout Mixed, _ random: inout Xorshift) {
    let number = Int.random(in: 0..<3, using: &random)
    switch Int.random(in: 0..<17, using: &random) {
    case 0: state.number = number
    case 1: state.small = Int8(number)
    case 2: state.real = [0.0, -0.0, 1e300][number]
    case 3: state.isOn.toggle()
    case 4: state.text = ["", "a", "b"][number]
    case 5: state.maybe = [nil, 0, 1][number]
    case 6: state.list = [[], [0], [0, 0]][number]
    case 7: state.lists = [[], [[]], [["", ""]]][number]
    case 8: state.set.formSymmetricDifference([number])
    case 9: state.sets.formSymmetricDifference([["\(number)", "x"]])
    case 10: state.names["\(number)"] = state.names["\(number)"] == nil ? 0 : nil
    case 11: state.numbers[number] = [nil, [], ["0"]][number]
    case 12:
      state.shapes[.round(Double(number))] =
        [Shape.none, .round(0), .named(name: "", sides: 1)][number]
    case 13: state.data = Data(repeating: 0, count: number)
    case 14: state.price = Decimal(number) / 4
    case 15: state.place = URL(string: "https://example.org/\(number)")
    default: break
    }
    state.single = Float(state.number)
    state.date = Date(timeIntervalSinceReferenceDate: state.real)
    state.wide = Int128(number) << 70
  }

  @Test("a NaN is one value, and a subclass's digest covers all that it encodes")
  func values() throws {
    final class Derived: Base {
      var derived = 2
      override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var values = encoder.unkeyedContainer()
        try values.encode(derived)
      }
    }
    let nan = Double(nan: 3, signaling: false)
    #expect(try Digest.of([Double.nan])?.sum == Digest.of([nan])?.sum)
    #expect(try Digest.of(Set([Double.nan, nan]))?.sum == Digest.of(Set([nan, .nan]))?.sum)
    let derived = Derived()
    let before = try Digest.of(derived)?.sum
    derived.base = 2
    let between = try Digest.of(derived)?.sum
    derived.derived = 3
    #expect(Set([before, between, try Digest.of(derived)?.sum]).count == 3)
  }

  /// Encodes containers within containers, without values between them.
  private struct Lists: Encodable {
    var depth: Int

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      for _ in 1..<depth { list = list.nestedUnkeyedContainer() }
    }
  }

  /// Sets within sets.
  private struct Sets: Hashable, Encodable {
    var inner: [Set<Sets>]

    static func nested(_ depth: Int) -> Sets {
      (0..<depth).reduce(Sets(inner: [])) { sets, _ in Sets(inner: [[sets]]) }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      if let inner = inner.first { try value.encode(inner) } else { try value.encode(0) }
    }
  }

  @Test("containers without values between them count as levels, and so do sets")
  func depth() throws {
    #expect(try Digest.of(Lists(depth: 500))?.depth == 500)
    #expect(throws: CodingFailure.self) { try Digest.of(Lists(depth: 501)) }
    #expect(try Digest.of(Sets.nested(500))?.depth == 500)
    #expect(throws: CodingFailure.self) { try Digest.of(Sets.nested(501)) }
  }

  private enum Part: Codable {
    case nothing, flag(Bool), number(Int), list([Part])

    init(from decoder: any Decoder) throws { self = .nothing }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .nothing: try value.encodeNil()
      case .flag(let flag): try value.encode(flag)
      case .number(let number): try value.encode(number)
      case .list(let list): try value.encode(list)
      }
    }
  }

  @Test("nil, a Bool and an empty container differ from each other and from every number")
  func noNumbers() throws {
    let parts: [Part] =
      [.nothing, .flag(false), .flag(true), .list([])] + (-9...9).map(Part.number)
    #expect(Set(try parts.map { try Digest.of([$0])?.sum }).count == parts.count)
  }

  @Test("digests of another algorithm are not compared")
  func otherAlgorithm() throws {
    let (one, other) = (try #require(try Digest.of([1])), try #require(try Digest.of([2])))
    let old = try JSONDecoder().decode(
      StateDigest.self, from: Data(#"{"algorithm":2,"sum":7,"properties":{}}"#.utf8))
    #expect(StateDigest(one).difference(from: old) == nil)
    #expect(StateDigest(one).difference(from: StateDigest(other)) != nil)
  }

  @Test("the next digest is due after 64 times the last one's duration")
  func pace() {
    var pace = DigestPace(.usual)
    #expect(pace.isDue(at: 0) && !pace.isSlow)
    pace.last = 1_000_000
    pace.cost = 50_000
    #expect(!pace.isSlow && !pace.isDue(at: 1_003_199) && pace.isDue(at: 1_003_200))
    pace.cost = 200_000
    #expect(pace.isSlow && !pace.isDue(at: 1_003_200) && pace.isDue(at: 1_012_800))
    // The clock was set back.
    #expect(pace.isDue(at: 999_999))
    pace.stateSize = 1 << 18
    #expect(pace.isDue(at: 999_999))
    pace.stateSize += 1
    #expect(!pace.isDue(at: 999_999))
  }

  @Test("a journal notes the time and the cost of its last digest")
  func noted() throws {
    let journal = try Journal(in: MemoryFiles(), tallyFormat)
    let start = microsecondsNow()
    _ = try journal.core.digest(of: Tally())
    let pace = journal.core.queue.withLock { $0.digests }
    #expect(pace.cost > 0 && (start...microsecondsNow()).contains(pace.last))
  }
}
