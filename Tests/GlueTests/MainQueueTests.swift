#if os(Linux)
  import Foundation
  import ProcessSupport
  import Testing

  extension ProcessTests {
    @Suite("MainQueue lets another event loop run the main queue")
    struct MainQueueTests {
      /// Returns the output of `MainQueueProgram` in a mode, and its ending.
      private func run(_ mode: String) throws -> PipedProgram.Result {
        try PipedProgram(builtProgram("MainQueueProgram"), [mode]).finish()
      }

      private func expect(
        _ mode: String, prints lines: String..., at location: SourceLocation = #_sourceLocation
      ) throws {
        let output = lines.map { "\($0)\n" }.joined()
        #expect(try run(mode) == PipedProgram.Result(output: output), sourceLocation: location)
      }

      @Test("what was enqueued before there was a descriptor runs, and an empty queue is no error")
      func early() throws {
        try expect("early", prints: "[1, 2] false", "[1, 2] false")
      }

      @Test(
        "every main-actor call of four threads' commits comes once and in order",
        arguments: ["level", "edge"])
      func flood(mode: String) throws {
        try expect(mode, prints: "true 20000 true false")
      }

      @Test("what a body enqueues is left to the next call, for which the descriptor is readable")
      func turns() throws {
        try expect("turns", prints: "[0] true", "[0, 1] true", "[0, 1, 2] true")
      }

      @Test("a call within a body is a no-op that loses no wake-up")
      func nested() throws {
        try expect("nested", prints: "[] false", "[1] true", "[1, 2] false")
      }

      @Test("deliveries on the main queue come, the first value included")
      func mainDelivery() throws {
        try expect("main", prints: "[0, 1]")
      }

      @Test("what observes a store is called")
      func observed() throws {
        try expect("observed", prints: "[0, 1]")
      }

      @Test("Foundation's run loop may take turns with it")
      func runLoop() throws {
        try expect("RunLoop", prints: "[0, 1, 2, 3, 4, 5] false")
      }

      @Test(
        "where the main queue isn't the caller's, the program stops with the cure",
        arguments: [("thread", "false\n"), ("dispatchMain", "[1]\n")])
      func elsewhere(mode: String, output: String) throws {
        let result = try run(mode)
        #expect(result.output == output)
        expectStopped(result)
      }

      @Test("so it does after main was suspended, and reads no file that has the number by then")
      func suspended() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("12345678".utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        let file = try FileHandle(forReadingFrom: path)
        let result = try PipedProgram(builtProgram("AsyncMainProgram")) {
          posix_spawn_file_actions_adddup2(&$0, file.fileDescriptor, 0)
        }.finish()
        #expect(result.output == "The main queue runs.\nSuspended.\n")
        expectStopped(result)
        #expect(try file.offset() == 0)
      }

      private func expectStopped(
        _ result: PipedProgram.Result, at location: SourceLocation = #_sourceLocation
      ) {
        guard case .signal = result.ending else {
          Issue.record("It ended with \(result.ending).", sourceLocation: location)
          return
        }
        let cure =
          "Run the event loop in main.swift before the first await, or in a main() that isn't async."
        #expect(result.errors.contains(cure), sourceLocation: location)
      }
    }
  }
#endif
