/// Returns the CRC-32C (Castagnoli) of the bytes behind others that have a checksum, eight bytes at
/// a time.
func checksum(_ bytes: ArraySlice<UInt8>, behind others: UInt32 = 0) -> UInt32 {
  bytes.withUnsafeBytes { bytes in
    tables.withUnsafeBufferPointer { tables in
      var sum = ~others
      var index = 0
      while index + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
        let eight = word ^ UInt64(sum)
        sum = 0
        for byte in 0..<8 {
          let next = Int(truncatingIfNeeded: eight >> (8 * UInt64(byte))) & 0xFF
          sum ^= tables[(7 - byte) * 256 + next]
        }
        index += 8
      }
      for byte in bytes[index...] {
        sum = tables[Int((sum ^ UInt32(byte)) & 0xFF)] ^ (sum >> 8)
      }
      return ~sum
    }
  }
}

/// Each byte's contribution to the sum, with 0 to 7 bytes behind it: eight tables of 256.
private let tables: [UInt32] = {
  var tables = [UInt32](repeating: 0, count: 8 * 256)
  for byte in 0..<256 {
    tables[byte] = (0..<8).reduce(UInt32(byte)) { sum, _ in
      sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0x82F6_3B78
    }
  }
  for index in 256..<tables.count {
    let sum = tables[index - 256]
    tables[index] = tables[Int(sum & 0xFF)] ^ (sum >> 8)
  }
  return tables
}()

/// A hexadecimal digit of a checksum, as a line begins with.
func digit(_ index: Int, of sum: UInt32) -> UInt8 {
  let value = UInt8(sum >> (28 - 4 * UInt32(index)) & 0xF)
  return value + (value < 10 ? 0x30 : UInt8(ascii: "a") - 10)
}

/// The size of a line's checksum and the space behind it.
let lineHeadSize = 9

/// The beginning of a line whose JSON has a checksum.
func lineHead(of sum: UInt32) -> [UInt8] {
  (0..<8).map { digit($0, of: sum) } + [UInt8(ascii: " ")]
}

let newline = UInt8(ascii: "\n")
