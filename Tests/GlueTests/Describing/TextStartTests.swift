import Glue
import Testing
import GlueLogging

@Suite("A text whose start is left out")
struct TextStartTests {
  @Test("says so by an ellipsis, however little is left out")
  func ellipsis() {
    #expect(shortDescription(of: "abc", limit: 20, from: 0) == #""abc""#)
    #expect(shortDescription(of: "abc", limit: 20, from: 1) == #""…bc""#)
    #expect(shortDescription(of: "abc", limit: 20, from: 2) == #""…c""#)
  }
}
