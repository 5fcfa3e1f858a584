import Testing

@testable import BenchmarkSuite

@Suite struct InvocationTests {
  @Test("no arguments measure everything")
  func noArgumentsMeasureEverything() throws {
    let invocation = try Invocation(arguments: [])
    #expect(invocation.mode == .measure)
    #expect(invocation.jsonFile == nil)
    #expect(invocation.selects("dispatch/erased", among: ["dispatch/erased"]))
  }

  @Test("all options are understood, in any order")
  func allOptionsAreUnderstood() throws {
    let invocation = try Invocation(
      arguments: ["--json", "out.json", "--filter", "a", "--repeat", "10", "--filter", "b"])
    #expect(invocation.mode == .repeating(10))
    #expect(invocation.jsonFile == "out.json")
    #expect(invocation.filters == ["a", "b"])
    #expect(try Invocation(arguments: ["--list"]).mode == .list)
    #expect(try Invocation(arguments: ["-h"]).mode == .help)
    #expect(try Invocation(arguments: ["--help"]).mode == .help)
  }

  @Test(
    "wrong arguments are explained",
    arguments: [
      (["--halp"], "unknown argument \"--halp\""), (["dispatch"], "unknown argument \"dispatch\""),
      (["--filter"], "--filter needs a value"), (["--filter", ""], "--filter needs a value"),
      (["--json", "--list"], "--json needs a value"),
      (["--repeat", "many"], "--repeat needs a number above 0, not \"many\""),
      (["--repeat", "0"], "--repeat needs a number above 0, not \"0\""),
    ])
  func whatIsWrongWith(arguments: [String], message: String) {
    #expect(throws: BadArguments(message: message)) { try Invocation(arguments: arguments) }
  }

  @Test("a filter that is a whole name selects no longer names")
  func aFilterThatIs() throws {
    let paths = ["state/of 1", "state/of 1000", "reading/state"]
    let whole = try Invocation(arguments: ["--filter", "state/of 1"])
    #expect(paths.filter { whole.selects($0, among: paths) } == ["state/of 1"])
    let part = try Invocation(arguments: ["--filter", "state"])
    #expect(paths.filter { part.selects($0, among: paths) } == paths)
  }

  @Test(
    "wrong arguments end with status 2",
    arguments: [["--wrong"], ["--filter", "no such subject"], ["--list", "--repeat", "x"]])
  func wrongArgumentsEndWith(arguments: [String]) {
    #expect(Benchmarks(allocations: nil).run(arguments: arguments) == 2)
  }
}
