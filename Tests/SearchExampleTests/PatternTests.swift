import Foundation
import Testing

@testable import SearchExample

@Suite struct PatternTests {
  private func firstMatch(of pattern: [UInt8], in text: [UInt8]) -> Int? {
    text.withUnsafeBytes { Pattern(pattern).firstMatch(in: $0) }
  }

  @Test func `it finds what a plain comparison finds, on random texts of few letters`() {
    var random = SystemRandomNumberGenerator()
    for _ in 1...5_000 {
      let text = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 97...99, using: &random)
      }
      let pattern = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        UInt8.random(in: 97...99, using: &random)
      }
      #expect(
        firstMatch(of: pattern, in: text) == text.firstRange(of: pattern)?.lowerBound,
        "\(pattern) in \(text)")
    }
  }

  @Test func `any bytes will do, and none match at the beginning`() {
    #expect(firstMatch(of: [0xFF, 0x00], in: [0x61, 0xFF, 0xFF, 0x00]) == 2)
    #expect(firstMatch(of: [], in: [0x61]) == 0)
  }

  @Test func `a pattern longer than the text is not in it`() {
    #expect(firstMatch(of: [1, 2, 3], in: [1, 2]) == nil)
    #expect(firstMatch(of: [1], in: []) == nil)
  }
}
