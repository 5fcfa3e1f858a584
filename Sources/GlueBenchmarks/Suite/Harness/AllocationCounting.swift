/// How the program that runs the benchmarks counts the heap allocations of all its threads.
package struct AllocationCounting {
  private let begin: () -> Void
  private let end: () -> Int

  /// Creates it from a function that begins to count, from 0, and one that ends and returns the
  /// number.
  package init(begin: @escaping () -> Void, end: @escaping () -> Int) {
    self.begin = begin
    self.end = end
  }

  /// How many allocations are made while a body runs.
  func count(_ body: () -> Void) -> Int {
    begin()
    body()
    return end()
  }
}
