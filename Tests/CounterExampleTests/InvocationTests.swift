import Testing

@testable import CounterExample

@Suite struct InvocationTests {
  @Test(arguments: [["--halp"], [""], ["--help", "--help"], ["+"], ["-hh"], ["--", "-h"]])
  func `anything but a lone help option is unknown`(arguments: [String]) {
    let text = arguments.joined(separator: " ")
    #expect(Invocation(arguments: arguments) == .unknown(arguments: text))
  }

  @Test func `both spellings ask for help`() {
    #expect(Invocation(arguments: ["-h"]) == .help)
    #expect(Invocation(arguments: ["--help"]) == .help)
  }

  @Test func `no arguments count`() {
    #expect(Invocation(arguments: []) == .count)
  }
}
