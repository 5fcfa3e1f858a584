internal import Dispatch
internal import Foundation
internal import Glue
internal import GlueSimulationOutput
internal import GlueTesting
internal import Testing

// A process that has run a program can't run it forever: its dead machines hold their memory, and
// perhaps a lock or an actor that all runs share. So child processes run the seeds, a batch each. A
// child is this executable again, with a filter for the test that calls `simulate`. There it returns
// at once from other calls, runs its batch in this one, reports, and ends.

/// Some seeds for a child process.
struct Batch: Codable, Sendable {
  /// The process that waits for the result, and the call of `simulate` in it.
  let parent: Int32
  let call: String
  let seeds: [UInt64]

  /// How many of them run twice, and how many seconds they may take.
  let sample: Int
  let limit: Double?

  /// The batch of this process, if it is a child.
  static let own: Batch? = {
    guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
    let batch = try? JSONDecoder().decode(Batch.self, from: Data(text.utf8))
    guard let batch, batch.parent == getppid() else { return nil }
    for file in [results, output, errors] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    return batch
  }()

  fileprivate static let variable = "GLUE_SIMULATION_BATCH"

  /// The child's files for its results, and for the parent's standard output and standard error.
  fileprivate static let results: Int32 = 198
  fileprivate static let output: Int32 = 199
  fileprivate static let errors: Int32 = 200

  /// Splits seeds for some processes, so that each gets several batches, and none takes much memory.
  static func sizes(_ count: Int, for processes: Int) -> Int {
    min(250, max(10, (count + processes * 2 - 1) / (processes * 2)))
  }
}

/// A line of a child.
private enum BatchLine: Codable {
  case begins(seed: UInt64)
  case failure(CollectedFailure)
  case ends(Part)
}

/// The name of a call of `simulate` in its test, which a child process makes again.
enum SimulateCall {
  private static let counts = Locked<[String: Int]>([:])

  /// - Returns: nil if no child process can make the same call.
  static func next(at place: Place) -> String? {
    #if os(Linux)
      guard let test = Test.current, ExitTest.current == nil else { return nil }
      let line = "\(place.fileID):\(place.line):\(place.column)"
      let key = "\(test.id) \(Test.Case.current.map(name(of:)) ?? "") \(line)"
      return counts.withLock { counts in
        counts[key, default: 0] += 1
        return "\(key) \(counts[key] ?? 0)"
      }
    #else
      return nil
    #endif
  }

  /// The arguments of a test's case, which only its description has, with an address in this process.
  private static func name(of testCase: Test.Case) -> String {
    testCase.isParameterized ? "\(testCase)".replacing(/\$[0-9a-f]+/, with: "") : ""
  }
}

#if os(Linux)
  // MARK: - The child

  extension Simulation {
    /// Runs the batch of this process, and ends it.
    func run(_ batch: Batch) async -> Never {
      dup2(Batch.output, 1)
      // Other cases of the test run here, too, and what they report means nothing.
      if Test.Case.current?.isParameterized != true { dup2(Batch.errors, 2) }
      let part = Locked(Part())
      let failures = await collectedFailures {
        let result = await runHere(
          batch.seeds, sample: batch.sample, within: batch.limit.map { .seconds($0) },
          note: { Self.write(.begins(seed: $0)) })
        part.withLock { $0 = result }
      }
      for failure in failures { Self.write(.failure(failure)) }
      Self.write(.ends(part.withLock { $0 }))
      glue_leave(0)
    }

    /// Ends the process if nothing reads any more: a closed pipe is a signal.
    private static func write(_ line: BatchLine) {
      guard var bytes = try? JSONEncoder().encode(line) else { return }
      bytes.append(UInt8(ascii: "\n"))
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(Batch.results, $0.baseAddress, $0.count) }
        if count <= 0 { glue_leave(1) }
        bytes.removeFirst(count)
      }
    }
  }

  // MARK: - The parent

  extension Simulation {
    /// Runs seeds in child processes, and reports the failures of the first batch that has some.
    ///
    /// - Returns: nil if a child doesn't come to the same call.
    func run(
      _ seeds: [UInt64], in processes: Int, sample: Int, within limit: Duration?, call: String
    ) async -> Part? {
      let size = Batch.sizes(seeds.count, for: processes)
      let start = ContinuousClock.now
      let progress = Progress(of: seeds.count)
      var (next, index) = (0, 0)
      var results: [Int: ChildResult] = [:]
      await withTaskGroup(of: (Int, ChildResult).self) { group in
        func add() {
          let left = limit.map { $0 - (ContinuousClock.now - start) }
          if next >= seeds.count || left.map({ $0 <= .zero }) == true { return }
          let batch = Batch(
            parent: getpid(), call: call, seeds: Array(seeds[next..<min(next + size, seeds.count)]),
            sample: max(0, min(size, sample - next)), limit: left.map { $0 / .seconds(1) })
          group.addTask { [index] in
            let turn = await Turn()
            defer { turn.end() }
            return (index, Task.isCancelled ? ChildResult() : await Child().run(batch))
          }
          (next, index) = (next + size, index + 1)
        }
        for _ in 0..<processes { add() }
        while let (number, result) = await group.next() {
          results[number] = result
          progress.note(next)
          // Earlier batches continue, because an earlier seed may fail too.
          if let failed = results.filter({ $0.value.isFailure }).keys.min() {
            if (0..<failed).allSatisfy({ results[$0] != nil }) { group.cancelAll() }
          } else {
            add()
          }
        }
      }
      return merged(results)
    }

    /// Takes together the results up to the first that fails, which it reports.
    private func merged(_ results: [Int: ChildResult]) -> Part? {
      var part = Part()
      for (_, result) in results.sorted(by: { $0.key < $1.key }) {
        if result.hasNotBegun {
          print(
            "simulate: a child process doesn't come to the same call, so this one runs the seeds")
          return nil
        }
        for failure in result.failures { failure.report(at: place) }
        if let message = result.deathMessage { fail(message) }
        if let other = result.part { part.add(other) }
        if result.isFailure {
          part.hasFailed = true
          return part
        }
      }
      return part
    }
  }

  /// The lines that a child process has sent.
  private struct ChildResult: Sendable {
    var seed: UInt64?
    var failures: [CollectedFailure] = []
    var part: Part?
    var status: Int32 = 0

    var isFailure: Bool { part?.hasFailed != false || failures.contains { !$0.isWarning } }

    /// Whether the test ended, there, before it came to the call.
    var hasNotBegun: Bool { seed == nil && part == nil }

    /// How the process has ended, if it has not run all seeds.
    var deathMessage: String? {
      guard part == nil, let seed else { return nil }
      return """
        simulate failed with seed \(seed): the process that ran it has ended \(end).
        GLUE_SEED=\(seed) runs it again.
        """
    }

    private var end: String {
      status & 0x7F == 0 ? "with status \(status >> 8)" : "by signal \(status & 0x7F)"
    }
  }

  /// A child process that runs a batch.
  private final class Child: Sendable {
    private let pid = Locked<pid_t?>(nil)

    func run(_ batch: Batch) async -> ChildResult {
      await withTaskCancellationHandler {
        let results: Int32
        do throws(SpawnError) { results = try spawn(batch) } catch {
          return ChildResult(status: error.code << 8)
        }
        return await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: self.wait(results)) }
        }
      } onCancel: {
        if let pid = pid.withLock({ $0 }) { kill(pid, SIGKILL) }
      }
    }

    private struct SpawnError: Error { let code: Int32 }

    /// Starts this executable again.
    ///
    /// - Returns: the file to read its results from.
    private func spawn(_ batch: Batch) throws(SpawnError) -> Int32 {
      var pipe: [Int32] = [0, 0]
      if glue_pipe(&pipe) != 0 { throw SpawnError(code: errno) }
      defer { close(pipe[1]) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, pipe[1], Batch.results)
      posix_spawn_file_actions_adddup2(&actions, 1, Batch.output)
      posix_spawn_file_actions_adddup2(&actions, 2, Batch.errors)
      // Until the batch begins, the child prints what its test framework has to say.
      for file in [Int32(1), 2] {
        posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_WRONLY, 0)
      }
      let test = Test.current.map { "\($0.id)" } ?? ""
      let arguments = [
        CommandLine.arguments[0], "--testing-library", "swift-testing", "--filter",
        "^\(NSRegularExpression.escapedPattern(for: test))$",
      ]
      let text = (try? JSONEncoder().encode(batch)).map { String(decoding: $0, as: UTF8.self) }
      var environment = ProcessInfo.processInfo.environment
      environment[Batch.variable] = text
      let code = withCStrings(arguments) { arguments in
        withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
          pid.withLock { pid in
            var new = pid_t()
            let code = posix_spawn(&new, "/proc/self/exe", &actions, nil, arguments, environment)
            if code == 0 { pid = new }
            return code
          }
        }
      }
      if code == 0 { return pipe[0] }
      close(pipe[0])
      throw SpawnError(code: code)
    }

    /// Reads the results until the process has ended.
    private func wait(_ file: Int32) -> ChildResult {
      var result = ChildResult()
      var rest: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while case let count = read(file, &buffer, buffer.count), count > 0 {
        rest += buffer[..<count]
        let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for line in lines.dropLast() { result.add(line) }
        rest = Array(lines.last ?? [])
      }
      close(file)
      let pid = pid.withLock { $0.take() } ?? 0
      waitpid(pid, &result.status, 0)
      return result
    }
  }

  extension ChildResult {
    fileprivate mutating func add(_ line: ArraySlice<UInt8>) {
      switch try? JSONDecoder().decode(BatchLine.self, from: Data(line)) {
      case .begins(let seed): self.seed = seed
      case .failure(let failure): failures.append(failure)
      case .ends(let part): self.part = part
      case nil: break
      }
    }
  }

  /// Lets a body use the texts as C does: a list that ends with nil.
  private func withCStrings<Result>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let pointers = texts.map { strdup($0) }
    defer { for pointer in pointers { free(pointer) } }
    return body(pointers + [nil])
  }

  /// One of as many turns as there are processors, for the children of all tests of this process.
  private struct Turn: Sendable {
    private struct Turns: Sendable {
      var free = ProcessInfo.processInfo.activeProcessorCount
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let turns = Locked(Turns())

    /// Waits for a turn.
    init() async {
      await withCheckedContinuation { continuation in
        let isFree = Self.turns.withLock { turns in
          if turns.free == 0 {
            turns.waiting.append(continuation)
            return false
          }
          turns.free -= 1
          return true
        }
        if isFree { continuation.resume() }
      }
    }

    func end() {
      let next = Self.turns.withLock { turns -> CheckedContinuation<Void, Never>? in
        if !turns.waiting.isEmpty { return turns.waiting.removeFirst() }
        turns.free += 1
        return nil
      }
      next?.resume()
    }
  }
#endif
