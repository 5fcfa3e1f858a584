internal import Foundation

/// A value that a digest takes as it is, instead of what its encoding makes of it.
///
/// That is for speed, for sets and dictionaries, whose order is not a part of them, and for what
/// `JSONEncoder` writes in another way than it encodes itself.
protocol DigestLeaf {
  func add(to encoder: DigestEncoder) throws
}

extension DigestEncoder {
  func integer(_ number: some BinaryInteger) {
    let low = UInt64(truncatingIfNeeded: number)
    leaf(number.bitWidth > 64 ? low ^ mix(1, UInt64(truncatingIfNeeded: number >> 64)) : low)
  }

  /// Adds a number; the two zeros are equal, and the bits of a NaN are not recorded.
  func real(_ number: some BinaryFloatingPoint) {
    leaf(number == 0 ? 0 : number.isNaN ? 1 : Double(number).bitPattern)
  }
}

extension Bool: DigestLeaf {
  func add(to encoder: DigestEncoder) { encoder.leaf(self ? 1 : 0) }
}

extension String: DigestLeaf {
  func add(to encoder: DigestEncoder) { encoder.leaf(digestHash(self)) }
}

extension Data: DigestLeaf {
  func add(to encoder: DigestEncoder) { encoder.leaf(withUnsafeBytes(digestHash)) }
}

extension URL: DigestLeaf {
  func add(to encoder: DigestEncoder) { encoder.leaf(digestHash(absoluteString)) }
}

extension Decimal: DigestLeaf {
  func add(to encoder: DigestEncoder) { encoder.leaf(digestHash(description)) }
}

extension Set: DigestLeaf where Element: Encodable {
  func add(to encoder: DigestEncoder) throws {
    let set = encoder.opened()
    for element in self { try set.apart { try $0.add(element) } }
  }
}

extension Dictionary: DigestLeaf where Key: Encodable, Value: Encodable {
  func add(to encoder: DigestEncoder) throws {
    let dictionary = encoder.opened()
    for (key, value) in self {
      try dictionary.apart {
        try $0.child(1).add(key)
        try $0.child(2).add(value)
      }
    }
  }
}

/// A bijection of the value for each path, so that equal sums of different leaves are no more likely
/// than of random numbers.
@inline(__always)
func mix(_ path: UInt64, _ value: UInt64) -> UInt64 {
  var bits = path ^ (value &* 0x9e37_79b9_7f4a_7c15)
  bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
  bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
  return bits ^ (bits >> 31)
}

func digestHash(_ text: String) -> UInt64 {
  var text = text
  return text.withUTF8 { digestHash(UnsafeRawBufferPointer($0)) }
}

/// A hash that is the same in every process, unlike `Hasher`'s.
func digestHash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
  var hash = UInt64(bytes.count)
  var index = 0
  while index + 8 <= bytes.count {
    hash = mix(hash, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
    index += 8
  }
  var rest: UInt64 = 0
  for byte in bytes[index...] { rest = rest << 8 | UInt64(byte) }
  return mix(hash, rest)
}
