import Foundation
import GlueTesting
import Testing

@testable import GlueJournal

@Suite("J12: values are written as JSONEncoder writes them")
struct DirectEncoderTests {
  private let coding = JournalFormat(of: Int.self, intents: []).coding

  /// Compares what is written with what `JSONEncoder` writes, except for the order of members.
  ///
  /// - Returns: whether it was written without `JSONEncoder`.
  @discardableResult
  private func check(_ value: some Encodable, _ comment: Comment? = nil) throws -> Bool {
    var bytes: [UInt8] = []
    let isDirect = try DirectEncoder.add(value, to: &bytes)
    guard let expected = try? coding.encode(value) else {
      #expect(!isDirect, comment)
      return false
    }
    #expect(isDirect || bytes.isEmpty, comment)
    if isDirect {
      // A key that is written twice would make the bytes differ.
      #expect(bytes.sorted() == expected.sorted(), comment)
      let objects = try [Data(bytes), expected].map {
        try JSONSerialization.jsonObject(with: $0, options: .fragmentsAllowed) as? NSObject
      }
      #expect(objects[0] == objects[1], comment)
    }
    return isDirect
  }

  private struct Plain: Codable {
    enum Kind: Codable { case none, one(Int), two(text: String, [Int]) }
    enum Color: String, Codable { case red }
    struct Empty: Codable {}
    var text = "plain"
    var number = -5
    var share = -0.25
    var single: Float = 0.1
    var isOn = true
    var missing: Int?
    var kinds: [Kind] = [.none, .one(1), .two(text: "", [1, 2])]
    var names = ["a": 1, "b c": 2]
    var lines: [Int: String] = [7: "seven"]
    var color = Color.red
    var nested: [[Bool?]] = [[], [nil, false]]
    var date = Date(timeIntervalSince1970: 1e9 + 0.5)
    var id = UUID()
    var empty = Empty()
    var wide = (Int8.min, UInt64.max)
    private enum CodingKeys: CodingKey {
      case text, number, share, single, isOn, missing, kinds, names, lines, color, nested, date, id
      case empty
    }
  }

  @Test("a value of usual types needs no JSONEncoder")
  func usual() throws {
    #expect(try check(Plain()))
    #expect(try check([String: Plain]()))
    #expect(try check(["a": Plain(), "b": Plain()]))
    #expect(try check(Int?.none))
    #expect(try check([Data(), Data([0, 255]), Data(0..<99)]))
    #expect(try check([URL(filePath: "/a b"), URL(string: "https://example.org/?a=b#c")]))
    for number in [0, 1, -1, 9, 10, 123_456_789_012_345_678, .min, .max] {
      #expect(try check(number))
    }
    for number in [Int8.min, .max] { #expect(try check([number])) }
    #expect(try check([UInt64.max, 0]))
    #expect(try check([Int128.max, 0]))
    for text in textsOfAllKinds {
      #expect(try check(text))
      #expect(try check([text: text]))
    }
  }

  @Test("a finite number has the same digits", arguments: 0..<20)
  func numbers(seed: Int) throws {
    var random = Xorshift(seed: UInt64(seed))
    for _ in 0..<200 {
      let double = Double(bitPattern: random.next())
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      #expect(try check(double) == double.isFinite, "\(double)")
      #expect(try check([float]) == float.isFinite, "\(float)")
    }
    for number in [
      Double(1e16), 1e-7, 1e21, 123456, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ] {
      #expect(try check(number))
    }
  }

  private struct Leaf<Value: Encodable>: Encodable {
    var name = "leaf"
    var value: Value
  }

  /// Encodes two keys that are equal, although their bytes differ.
  private struct Twins: Encodable {
    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Script.Key.self)
      try values.encode(1, forKey: Script.Key("é"))
      try values.encode(2, forKey: Script.Key("e\u{301}"))
    }
  }

  /// Encodes nothing.
  private struct Silent: Encodable { func encode(to encoder: any Encoder) {} }

  private struct Refusing: Encodable {
    var isLate = true

    func encode(to encoder: any Encoder) throws {
      if !isLate { throw CancellationError() }
      var values = encoder.unkeyedContainer()
      try values.encode(1)
      throw CancellationError()
    }
  }

  /// An object that leads to itself.
  private final class Endless: Encodable {
    func encode(to encoder: any Encoder) throws {
      if encoder.codingPath.count > 80 { throw CancellationError() }
      var values = encoder.unkeyedContainer()
      try values.encode(self)
    }
  }

  private class Base: Encodable { var base = 1 }

  private final class Derived: Base {
    var derived = 2
    private enum Key: CodingKey { case derived }

    override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var values = encoder.container(keyedBy: Key.self)
      try values.encode(derived, forKey: .derived)
    }
  }

  @Test("JSONEncoder writes what only it can write")
  func unusual() throws {
    for value: any Encodable in [
      Leaf(value: Decimal(string: "0.1")), Leaf(value: Double.infinity), Leaf(value: Float.nan),
      Leaf(value: Silent()), Leaf(value: Refusing()), Derived(), [Derived()], Endless(), Silent(),
      Twins(),
    ] {
      _ = try check(value)
    }
    #expect(try !check(Twins()))
    #expect(try !check(Leaf(value: Decimal(1))))
    #expect(try !check(Derived()))
    #expect(try !check(Leaf(value: Silent())))
    #expect(try !check(Endless()))
  }

  /// Encodes many keys, of which the last can be one of the others.
  private struct Wide: Encodable {
    let last: Int

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Script.Key.self)
      for number in 0..<1000 { try values.encode([number], forKey: Script.Key("\(number)")) }
      try values.encode("", forKey: Script.Key("\(last)"))
    }
  }

  private struct Deep: Encodable {
    let level: Int

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Script.Key.self)
      if level > 0 { try values.encode(Deep(level: level - 1), forKey: Script.Key("deeper")) }
    }
  }

  @Test("a value may have any number of keys, of which none is written twice")
  func wide() throws {
    #expect(try check(Wide(last: 1000)))
    for last in [0, 15, 16, 17, 999] { #expect(try !check(Wide(last: last))) }
  }

  @Test("a value may be deep")
  func deep() throws {
    #expect(try check(Deep(level: 90)))
    #expect(try !check(Deep(level: 200)))
  }

  /// Ends the program if a part doesn't encode, because all of them do with `JSONEncoder`.
  private struct Confident: Encodable {
    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Script.Key.self)
      do {
        try values.encode(Decimal(1), forKey: Script.Key("price"))
        try values.encode(Leaf(value: Double.infinity), forKey: Script.Key("leaf"))
        try values.encode(Derived(), forKey: Script.Key("derived"))
      } catch { preconditionFailure("\(error)") }
    }
  }

  @Test("a type that encodes gets no error but its own")
  func errors() throws {
    #expect(try !check(Confident()))
    #expect(try !check([Leaf(value: Confident())]))
  }

  /// Encodes a random sequence of parts: in turn and out of turn, some twice, some empty.
  private struct Script: Encodable {
    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(_ text: String) { stringValue = text }
      init?(stringValue: String) { self.init(stringValue) }
      init?(intValue: Int) { nil }
    }

    let seed: UInt64
    let depth: Int

    func encode(to encoder: any Encoder) throws {
      var random = Xorshift(seed: seed)
      var keyed = [encoder.container(keyedBy: Key.self)]
      var unkeyed: [any UnkeyedEncodingContainer] = []
      let isOdd = seed % 3 == 0
      for step in 0..<Int.random(in: 0..<6, using: &random) {
        // Each step has a key of its own, unless the script is odd.
        let key = isOdd ? Int.random(in: 0..<4, using: &random) : step
        let place = isOdd ? Int.random(in: keyed.indices, using: &random) : keyed.count - 1
        let inner = Script(seed: (random.next() >> 8) * 3 + (isOdd ? 0 : 1), depth: depth + 1)
        switch Int.random(in: 0..<(isOdd ? 10 : 5), using: &random) {
        case 0: try keyed[place].encode(key, forKey: Key("n\(key)"))
        case 1: try keyed[place].encodeNil(forKey: Key("v\(key)"))
        case 2 where depth < 4: try keyed[place].encode([inner], forKey: Key("s\(key)"))
        case 3:
          keyed.append(keyed[place].nestedContainer(keyedBy: Key.self, forKey: Key("k\(key)")))
        case 4:
          var list = keyed[place].nestedUnkeyedContainer(forKey: Key("u\(key)"))
          try list.encode("\(seed) \(list.count)")
          if depth < 4 { try list.encode(inner) }
          unkeyed.append(list)
        case 5: try? keyed[place].encode(Refusing(isLate: false), forKey: Key("r\(key)"))
        case 6: Silent().encode(to: keyed[place].superEncoder(forKey: Key("p\(key)")))
        case 7 where depth < 4: try inner.encode(to: keyed[place].superEncoder())
        case 8 where !unkeyed.isEmpty:
          let index = Int.random(in: unkeyed.indices, using: &random)
          try unkeyed[index].encode(encoder.codingPath.count)
        case 9: try keyed[place].encode(Silent(), forKey: Key("q\(key)"))
        default: try keyed[place].encode(0.5, forKey: Key("d\(key)"))
        }
      }
    }
  }

  @Test("any sequence of parts gives what JSONEncoder makes of it", arguments: 0..<30)
  func scripts(seed: Int) throws {
    var random = Xorshift(seed: UInt64(seed))
    var directCount = 0
    for _ in 0..<40 {
      let script = Script(seed: random.next(), depth: 0)
      if try check([script], "seed \(script.seed)") { directCount += 1 }
    }
    // Both ways are taken.
    #expect((1..<40).contains(directCount))
  }
}

/// Texts with quotes, escapes, several bytes a character, many lines, and each ASCII character.
let textsOfAllKinds =
  ["", "\"", "\\u0041", "ä€😀\u{2028}\u{7F}/", String(repeating: "\n", count: 99)]
  + (UInt8.min..<128).map { "a\(Character(Unicode.Scalar($0)))/b" }
