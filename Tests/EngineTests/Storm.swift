import Foundation
import Glue
import LocalServers
import ProcessSupport
import GlueCluster
import Synchronization
import Testing

@testable import LedgerProgram

/// Thousands of intents from several replicas, while steps harm the engine;
/// then everything is counted.
struct Storm: Sendable {
  let replicas: [SharedStore<Ledger, Void>]

  /// A step to take after a number of answers.
  let steps: [(after: Int, act: @Sendable () async throws -> Void)]

  let senders = 4
  let each: Int
  private let answered = Tally()
  private let owners: Owners

  init(
    on logs: [any Log], each: Int, lease: Duration = .seconds(3),
    steps: [(after: Int, act: @Sendable () async throws -> Void)]
  ) {
    replicas = logs.enumerated().map {
      sharedLedger(on: $1, "\($0)", snapshotEvery: 300, lease: lease)
    }
    owners = Owners(lease: lease)
    self.each = each
    self.steps = steps
  }

  /// Everything that was sent, and its answers.
  func rage() async throws -> [String: Result<LogPosition, SharedStoreError>] {
    for replica in replicas {
      replica.own(Mail.self) { [owners] mail, token in
        owners.begin(under: token.revision)
        return [LedgerIntent.mailed(mail.text)]
      }
    }
    let watches = replicas.map { [owners] replica in
      Task {
        for await owner in replica.store.values(of: \.table.owner) { owners.show(owner.revision) }
      }
    }
    defer { for watch in watches { watch.cancel() } }
    async let harm: Void = carryOutSteps()
    let told = await withTaskGroup(of: [String: Result<LogPosition, SharedStoreError>].self) {
      group in
      for (number, replica) in replicas.enumerated() {
        for sender in 0..<senders {
          group.addTask { await send(from: replica, as: "\(number)-\(sender)") }
        }
      }
      return await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }
    answered.finish()
    try await harm
    return told
  }

  private func carryOutSteps() async throws {
    var steps = steps[...]
    for await count in answered.counts {
      while let step = steps.first, step.after <= count {
        steps.removeFirst()
        do { try await step.act() } catch {
          answered.stop()
          throw error
        }
      }
    }
    #expect(steps.isEmpty, "the storm was over before its last step")
  }

  private func send(
    from replica: SharedStore<Ledger, Void>, as sender: String
  ) async -> [String: Result<LogPosition, SharedStoreError>] {
    var told: [String: Result<LogPosition, SharedStoreError>] = [:]
    for number in 0..<each where !answered.isStopped {
      let text = "\(sender).\(number)"
      let intent = number % 50 == 49 ? LedgerIntent.order(text) : .write(text)
      do throws(SharedStoreError) {
        told[text] = .success(try await replica.send(intent))
      } catch {
        told[text] = .failure(error)
      }
      answered.add()
    }
    return told
  }

  /// Brings all replicas as far as the storm went, and compares what they have with each other and
  /// with the senders' answers.
  ///
  /// Intents of unknown outcome may still arrive, so replicas need not be at one position:
  /// the state of each must be the one that the next one's began with.
  ///
  /// - Parameters:
  ///   - told: the answers that this storm's senders got.
  ///   - others: lines acknowledged to senders in other processes.
  ///   - new: a replica just made.
  /// - Throws: the error that keeps a replica from catching up.
  func check(
    _ told: [String: Result<LogPosition, SharedStoreError>], others: [String] = [],
    withNew new: SharedStore<Ledger, Void>
  ) async throws {
    for replica in replicas { try await surely { try await replica.catchUp() } }
    let orders = Set(told.filter { (try? $0.value.get()) != nil }.keys.filter(isOrder))
    for await isDone in replicas[0].store.values(of: { orders.isSubset(of: $0.state.mailed) })
    where isDone { break }
    let all = replicas + [new]
    var last = 0
    for replica in all { last = max(last, try await surely { try await replica.catchUp() }) }
    for replica in all {
      for await position in replica.store.values(of: \.position) where position >= last { break }
    }
    let states = all.map { $0.store.state }.sorted { $0.position < $1.position }
    for (state, next) in zip(states, states.dropFirst()) {
      let places = "\(state.position) and \(next.position)"
      #expect(next.state.lines.starts(with: state.state.lines), "lines differ: \(places)")
      #expect(next.state.mailed.starts(with: state.state.mailed), "mails differ: \(places)")
      if state.position == next.position {
        #expect(next.state == state.state && next.table == state.table, "they differ: \(places)")
      }
    }
    if isSet("GLUE_STORMS") { #expect(owners.late == [], "begun long after another owner's claim") }
    let final = states.last!
    let counts = Dictionary(final.state.lines.map { ($0, 1) }, uniquingKeysWith: +)
    #expect(counts.values.allSatisfy { $0 == 1 }, "something was reduced twice")
    #expect(Set(final.state.mailed).count == final.state.mailed.count, "a result counted twice")
    for (text, outcome) in told where !isOrder(text) {
      switch outcome {
      case .success: #expect(counts[text] == 1, "\(text) was acknowledged, and is lost")
      case .failure(.unknownOutcome): break
      case .failure: #expect(counts[text] == nil, "\(text) was not sent, and is there")
      }
    }
    #expect(others.filter { counts[$0] == nil } == [], "others' acknowledged lines are lost")
    for replica in all { await replica.close() }
  }

  private func isOrder(_ text: String) -> Bool {
    Int(text.split(separator: ".")[1])! % 50 == 49
  }

  @discardableResult
  private func surely<Value>(_ body: () async throws -> Value) async throws -> Value {
    do { return try await body() } catch { return try await body() }
  }
}

/// The leases of storms: the shortest, and where they are long, also one that outlasts most faults.
let leases: [Duration] = isSet("GLUE_STORMS") ? [.seconds(3), .seconds(10)] : [.seconds(3)]

/// When each owner's claim was first read, and the effects that began under an older one later than a
/// third of the lease after that.
private final class Owners: Sendable {
  private let lease: Duration
  private let claims = Mutex((read: [Int: ContinuousClock.Instant](), late: [Int]()))

  var late: [Int] { claims.withLock { $0.late } }

  init(lease: Duration) { self.lease = lease }

  func show(_ revision: Int) {
    claims.withLock { $0.read[revision] = $0.read[revision] ?? .now }
  }

  func begin(under revision: Int) {
    claims.withLock { claims in
      let limit = ContinuousClock.now - lease / 3
      if claims.read.contains(where: { $0.key > revision && $0.value < limit }) {
        claims.late.append(revision)
      }
    }
  }
}

/// A number that grows, and the tasks that wait for it.
private final class Tally: Sendable {
  let counts: AsyncStream<Int>
  private let continuation: AsyncStream<Int>.Continuation
  private let count = Mutex(0)
  private let stopped = Atomic(false)

  /// Whether a step failed, so that senders can stop.
  var isStopped: Bool { stopped.load(ordering: .relaxed) }

  init() { (counts, continuation) = AsyncStream.makeStream() }

  func add() {
    count.withLock { count in
      count += 1
      continuation.yield(count)
    }
  }

  func stop() { stopped.store(true, ordering: .relaxed) }
  func finish() { continuation.finish() }
}

/// `LedgerProgram` in a process of its own, and the acknowledgments that it prints.
final class LedgerProcess: Sendable {
  let server: Server
  private let output: String

  init(_ label: String, in log: String, at servers: [String], lease: Duration) throws {
    output =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("glue-ledger-\(UInt32.random(in: .min ... .max))").path
    let arguments = [label, log, "\(lease.components.seconds)"] + servers
    server = Server([builtProgram("LedgerProgram")] + arguments, log: output)
    try server.start()
  }

  deinit { try? FileManager.default.removeItem(atPath: output) }

  /// The acknowledged lines, once it has ended.
  func acknowledged() throws -> [String] {
    try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("ok ") }.map { String($0.dropFirst(3)) }
  }
}

/// Whether a variable of the environment leaves tests out whose server cannot be installed.
///
/// Where it is not set they fail, and say what to install.
func isSet(_ variable: String) -> Bool {
  ProcessInfo.processInfo.environment[variable] != nil
}
