import Foundation

/// What is searched for: bytes, in one line.
struct Pattern: Sendable {
  let bytes: [UInt8]

  /// The place in the pattern of its byte that is rarest in text: the system finds it quickly, and
  /// only there is the rest compared.
  private let anchor: Int

  init(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    self.bytes = bytes
    anchor = bytes.indices.max { rarity(bytes[$0]) < rarity(bytes[$1]) } ?? 0
  }

  /// The offset of the first occurrence; an empty pattern occurs at the beginning.
  func firstMatch(in text: UnsafeRawBufferPointer) -> Int? {
    guard let base = text.baseAddress, text.count >= bytes.count else { return nil }
    if bytes.isEmpty { return 0 }
    return bytes.withUnsafeBytes { pattern in
      var start = 0
      let end = text.count - bytes.count + 1
      while let found = memchr(base + start + anchor, Int32(pattern[anchor]), end - start) {
        start = UnsafeRawPointer(found) - base - anchor
        if memcmp(base + start, pattern.baseAddress!, pattern.count) == 0 { return start }
        start += 1
      }
      return nil
    }
  }
}

/// A rough order: the most frequent bytes of texts and programs come first.
private let frequentBytes = Array(" etaoinsrlcdumpfhg_,.0b(y)1=;v-w\"k2x/:*3".utf8)

private func rarity(_ byte: UInt8) -> Int {
  frequentBytes.firstIndex(of: byte) ?? frequentBytes.count
}
