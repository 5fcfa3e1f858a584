import AllocationCounter
import BenchmarkSuite
import Foundation

@main
enum Program {
  static func main() {
    let allocations = AllocationCounting(
      begin: beginCountingAllocations, end: { endCountingAllocations() })
    let benchmarks = Benchmarks(allocations: allocationsAreCountable() != 0 ? allocations : nil)
    exit(benchmarks.run(arguments: Array(CommandLine.arguments.dropFirst())))
  }
}
