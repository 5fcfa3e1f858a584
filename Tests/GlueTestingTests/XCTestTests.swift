import Glue
import XCTest

@testable import GlueTesting

/// A test case that can take its failures instead of failing.
class RecordingTestCase: XCTestCase {
  private var recorded: [String]?

  func startRecording() { recorded = [] }

  /// The failures since the start, with the line at which each was reported.
  func stopRecording() -> [String] {
    defer { recorded = nil }
    return recorded ?? []
  }

  #if !canImport(Darwin)
    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      guard recorded != nil else {
        return super.recordFailure(
          withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      }
      let file = filePath.split(separator: "/").last ?? ""
      recorded?.append("\(file):\(lineNumber): \(description)")
    }
  #endif
}

/// The helpers in XCTest; most of their tests use Swift Testing.
final class XCTestTests: RecordingTestCase {
  func testReducersFailAtTheCallersLine() {
    startRecording()
    expect(counter, from: Counter(), when: .increment)
    XCTAssertEqual(
      stopRecording(),
      [
        """
        XCTestTests.swift:\(#line - 5): failed - CounterIntent.increment did not behave as \
        expected.
        The state differs from the expected one (expected → actual):
          value: 0 → 1
        """
      ])
  }

  func testStoresFailAtTheCallersLine() async {
    startRecording()
    let test = TestStore(state: Counter(), reducer: counter)
    await test.send(CounterIntent.increment, effects: [CounterEffect.playSound]) { $0.value = 1 }
    await test.finish()
    XCTAssertEqual(
      stopRecording(),
      [
        """
        XCTestTests.swift:\(#line - 6): failed - CounterIntent.increment did not behave as \
        expected.
        The effects are others than expected:
          − CounterEffect.playSound (expected, not emitted)
        """
      ])
  }

  func testAStoreThatIsReleasedFailsWhereItWasMade() async {
    startRecording()
    do {
      let test = TestStore(state: Counter(), reducer: counter)
      await test.send(CounterIntent.increment) { $0.value = 1 }
      test.store.dispatch(CounterIntent.decrement)
    }
    XCTAssertEqual(
      stopRecording(),
      [
        """
        XCTestTests.swift:\(#line - 8): failed - 1 intent was not received when the TestStore was \
        released:
          CounterIntent.decrement, not from an effect
        Receive it, or skip it: `skipReceived()`, `exhaustivity = .off`.
        """
      ])
  }

  func testWhatPassesPasses() async {
    let test = TestStore(state: Search(), reducer: search)
    test.add(effectHandler: Searching(clock: test.clock))
    await test.send(SearchIntent.typed("a"), effects: [query("a")]) {
      $0.text = "a"
      $0.isSearching = true
    }
    await test.clock.run()
    await test.receive(SearchIntent.found(["a"])) {
      $0.isSearching = false
      $0.results = ["a"]
    }
    await test.finish()
  }

  func testExploringReportsWhatFailsAndPassesWhatPasses() async {
    startRecording()
    await explore(replaying: 3) { _ in XCTFail("on purpose") }
    XCTAssertEqual(stopRecording(), ["XCTestTests.swift:\(#line - 1): failed - on purpose"])
    await explore(replaying: 7) { clock in
      let test = TestStore(state: Counter(), reducer: counter, clock: clock)
      await test.send(CounterIntent.increment) { $0.value = 1 }
      await test.finish()
    }
  }
}
