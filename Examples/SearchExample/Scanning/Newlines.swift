import Foundation

let newline = UInt8(ascii: "\n")

func firstNewline(in text: UnsafeRawBufferPointer) -> Int? {
  guard let base = text.baseAddress else { return nil }
  return memchr(base, Int32(newline), text.count).map { UnsafeRawPointer($0) - base }
}

func lastNewline(in text: UnsafeRawBufferPointer) -> Int? {
  text.lastIndex(of: newline)
}

func countNewlines(in text: UnsafeRawBufferPointer) -> Int {
  var count = 0
  for byte in text { count &+= byte == newline ? 1 : 0 }
  return count
}
