/// A digest of a state's encoding, the same in every process.
///
/// The order of a set's or a dictionary's elements does not matter.
///
/// `@unchecked Sendable` is sound because nothing changes a digest after `of(_:)` has returned.
final class Digest: @unchecked Sendable {
  /// `JSONEncoder` and `JSONDecoder` take at most 511 levels; the record around a state needs a
  /// few.
  static let deepestLevel = 500
  static let algorithm = 1

  /// The sum of the leaves.
  ///
  /// Records hold 53 bits of it, because every JSON reader takes that many.
  var total: UInt64 = 0
  var sum: Int { Int(total >> 11) }

  /// 16 bits for each of the first 16 properties.
  var properties: [(name: String, sum: Int)] = []

  /// The state's depth and number of values; not recorded.
  var depth = 0
  var leaves = 0

  /// - Throws: ``CodingFailure`` if the state is too deep to be written.
  /// - Returns: nil if its encoding throws.
  static func of(_ state: some Encodable) throws(CodingFailure) -> Digest? {
    let digest = Digest()
    do {
      try DigestEncoder(digest: digest).add(state)
      // Containers within containers have no value between them that the encoder could refuse.
      if digest.depth > deepestLevel { throw tooDeep }
    } catch {
      guard let error = error as? CodingFailure else { return nil }
      throw CodingFailure("a value of type \(type(of: state)) can't be written: \(error.reason)")
    }
    return digest
  }

  private init() {}

  /// Reads `[algorithm,sum,"property",sum,…]`; nil for another algorithm.
  init?(from json: JSON?) {
    guard let parts = json?.elements, parts.count >= 2, let sum = parts[1].integer,
      parts[0].integer == Digest.algorithm
    else { return nil }
    total = UInt64(sum) << 11
    for index in stride(from: 3, to: parts.count, by: 2) {
      guard let name = parts[index - 1].text, let sum = parts[index].integer else { return nil }
      properties.append((name, sum))
    }
  }

  func write(to line: inout LineBuffer) {
    line.add(#","digest":["#, Digest.algorithm, ",", sum)
    for (name, sum) in properties { line.add(",", Quoted(name), ",", sum) }
    line.add("]")
  }
}

let tooDeep = CodingFailure("it is nested deeper than \(Digest.deepestLevel) levels")
