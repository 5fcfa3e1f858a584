/// Tells states apart by what they encode, the same in every process: elements of sets and
/// dictionaries count in any order.
///
/// `@unchecked Sendable` is sound because nothing changes it once `of(_:)` has returned.
final class Digest: @unchecked Sendable {
  /// The deepest state that `JSONEncoder` and `JSONDecoder` take is 511 levels deep; a few are left
  /// for the record around it.
  static let deepestLevel = 500
  private static let algorithm = 1

  /// What the leaves add up to, of which 53 bits are recorded: every reader of JSON takes these.
  var total: UInt64 = 0
  var sum: Int { Int(total >> 11) }

  /// 16 bits for each of the first 16 properties.
  var properties: [(name: String, sum: Int)] = []

  /// How deep the state is, and of how many values it is; not recorded.
  var depth = 0
  var leaves = 0

  /// - Throws: ``CodingFailure`` if the state is too deep to be written.
  /// - Returns: nil if its encoding throws.
  static func of(_ state: some Encodable) throws(CodingFailure) -> Digest? {
    let digest = Digest()
    do { try DigestEncoder(digest: digest).add(state) } catch {
      guard let error = error as? CodingFailure else { return nil }
      throw CodingFailure("a value of type \(type(of: state)) can't be written: \(error.reason)")
    }
    return digest
  }

  private init() {}

  /// Reads `[algorithm,sum,"property",sum,…]`; nil if it is of another algorithm.
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

  func differingProperties(from other: Digest) -> [String] {
    let sums = Dictionary(properties) { $1 }
    let others = Dictionary(other.properties) { $1 }
    return Set(sums.keys).union(others.keys).filter { sums[$0] != others[$0] }.sorted()
  }
}
