import Testing

/// Every order in which three threads can make their calls, with the real store.
///
/// Calls interleave before and after those of subscribers and handlers, and where deliveries are
/// posted; ``UnlockInterleavingTests`` interleaves them between critical sections. A call hands its
/// deliveries over after two foreign ones.
///
/// Optimized code takes seconds for four calls each; in debug builds they are fewer.
@Suite("G1, G3 to G5, G8, G12: under every interleaving")
struct ExhaustiveInterleavingTests {
  private static let programs: [[ExhaustiveRun.Action]] = [
    [.subscribe, .dispatch, .cancel, .dispatch],
    [.add, .dispatch, .dispatch, .subscribe],
    [.dispatch, .dispatch, .cancel, .add],
  ]

  #if DEBUG
    private static let length = (immediate: 3, posted: 2)
  #else
    private static let length = (immediate: 4, posted: 3)
  #endif

  @Test("immediate deliveries are never lost, reordered, nested, left, or made by one for all")
  func immediate() {
    let (fault, states) = explore(Self.length.immediate, posting: false)
    #expect(fault == nil)
    #expect(states > 5000)
  }

  @Test("nor are posted ones that run late, inline, elsewhere, or never")
  func posted() {
    let (fault, states) = explore(Self.length.posted, posting: true)
    #expect(fault == nil)
    #expect(states > 1000)
  }

  /// The first fault, and how many states there are.
  private func explore(_ length: Int, posting: Bool) -> (String?, Int) {
    let (choices, threads) = (Choices(), VirtualThreads(4))
    let programs = Self.programs.map { Array($0.prefix(length)) }
    while choices.begin() {
      let run = ExhaustiveRun(programs, on: threads, posting: posting, limit: 2, choices)
      run.run()
      if let fault = run.fault { return ("\(choices.choices): \(fault)", choices.stateCount) }
    }
    return (nil, choices.stateCount)
  }
}
