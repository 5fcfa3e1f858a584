internal import Foundation

/// Returns the SHA-256 in Base64, by which a page's policy names its script and its style.
func sha256(_ bytes: [UInt8]) -> String {
  var sum = firstFraction(of: primes.prefix(8), root: { $0.squareRoot() })
  let message = padded(bytes)
  for start in stride(from: 0, to: message.count, by: 64) {
    add(message[start..<start + 64], to: &sum)
  }
  return Data(sum.flatMap(bigEndian)).base64EncodedString()
}

private let primes = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }

private let roundConstants = firstFraction(of: primes[...], root: cbrt)

/// The first 32 bits of the fractional parts of roots, which a `Double` holds exactly.
private func firstFraction(of primes: ArraySlice<Int>, root: (Double) -> Double) -> [UInt32] {
  primes.map { UInt32(truncatingIfNeeded: Int(root(Double($0)) * 4_294_967_296)) }
}

private func padded(_ bytes: [UInt8]) -> [UInt8] {
  let zeros = [UInt8](repeating: 0, count: (119 - bytes.count % 64) % 64)
  let length = UInt64(bytes.count * 8)
  return bytes + [0x80] + zeros + bigEndian(UInt32(length >> 32))
    + bigEndian(UInt32(truncatingIfNeeded: length))
}

private func bigEndian(_ word: UInt32) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
}

private func add(_ block: ArraySlice<UInt8>, to sum: inout [UInt32]) {
  func turned(_ word: UInt32, _ by: UInt32...) -> UInt32 {
    by.reduce(0) { $0 ^ (word >> $1 | word << (32 - $1)) }
  }
  var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
    block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
  for i in 16..<64 {
    let low = turned(words[i - 15], 7, 18) ^ words[i - 15] >> 3
    let high = turned(words[i - 2], 17, 19) ^ words[i - 2] >> 10
    words.append(words[i - 16] &+ low &+ words[i - 7] &+ high)
  }
  var (a, b, c, d) = (sum[0], sum[1], sum[2], sum[3])
  var (e, f, g, h) = (sum[4], sum[5], sum[6], sum[7])
  for (word, constant) in zip(words, roundConstants) {
    let first = h &+ turned(e, 6, 11, 25) &+ (e & f ^ ~e & g) &+ constant &+ word
    let second = turned(a, 2, 13, 22) &+ (a & b ^ a & c ^ b & c)
    (h, g, f, e) = (g, f, e, d &+ first)
    (d, c, b, a) = (c, b, a, first &+ second)
  }
  for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { sum[i] &+= word }
}
