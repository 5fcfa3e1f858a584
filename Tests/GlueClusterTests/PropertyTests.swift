import Glue
import GlueJournal
import ProcessSupport
import Synchronization
import Testing

@testable import GlueCluster

/// Several replicas, several senders on each, and every fault between them and the log.
@Suite(.tags(.threads), .jumpingTime) struct PropertyTests {
  static let seeds = Trials.seeds(40)

  @Test(arguments: seeds)
  func replicasEndEqualAndEachIntentCountsAsItsSenderWasTold(seed: UInt64) async throws {
    let log = MemoryLog()
    let run = Run(log: log, seed: seed, replicas: 3, snapshotEvery: seed % 2 == 0 ? 25 : 10_000)
    let told = await run.sendAll(senders: 4, each: 25)
    let states = try await run.finish()

    let final = states[0]
    for state in states { #expect(state.state == final.state && state.table == final.table) }
    let counts = Dictionary(grouping: final.state.lines, by: { $0 }).mapValues(\.count)
    #expect(counts.values.allSatisfy { $0 == 1 }, "something was reduced twice")
    for (text, outcome) in told {
      switch outcome {
      case .success: #expect(counts[text] == 1, "\(text) was acknowledged, and is lost")
      case .failure(.notSent): #expect(counts[text] == nil, "\(text) was not sent, and is there")
      case .failure(.unknownOutcome): break
      case .failure(let error): Issue.record("\(text): \(error)")
      }
    }
    for sender in Set(told.keys.map { $0.split(separator: ".")[0] }) {
      let order = final.state.lines.filter { $0.hasPrefix("\(sender).") }
        .compactMap { Int($0.split(separator: ".")[1]) }
      #expect(order == order.sorted(), "\(sender) sent them in another order")
    }
  }

  @Test(arguments: seeds)
  func anUnknownOutcomeIsFoundOut(seed: UInt64) async throws {
    let log = MemoryLog()
    let run = Run(log: log, seed: seed, replicas: 2, deadline: .milliseconds(100))
    let told = await run.sendAll(senders: 3, each: 20)
    run.calm()
    var found: [String: LogPosition?] = [:]
    for (text, outcome) in told {
      guard case .failure(.unknownOutcome(let ticket)) = outcome else { continue }
      found[text] = try await run.sender(of: text).outcomeSurely(of: ticket)
    }
    let final = try await run.finish()[0].state
    for (text, outcome) in told where outcome.isNotSent {
      #expect(!final.lines.contains(text), "\(text) was not sent, and is there")
    }
    for (text, position) in found {
      #expect(final.lines.contains(text) == (position != nil), "\(text)")
    }
  }
}

/// Replicas of one log, and the answers that their senders got.
struct Run: Sendable {
  let log: MemoryLog
  let connections: [MemoryLog.Connection]
  let clock = JumpingClock()
  let replicas: [SharedStore<Lines, [String]>]

  init(
    log: MemoryLog, seed: UInt64, replicas: Int, snapshotEvery: Int = 10_000,
    deadline: Duration = .seconds(15), lease: Duration = .seconds(10)
  ) {
    self.log = log
    connections = (0..<replicas).map {
      log.connection(faults: .many, seed: seed &* 1_000 &+ UInt64($0))
    }
    self.replicas = connections.enumerated().map { [clock] number, connection in
      replica(
        of: connection, "\(number)", snapshotEvery: snapshotEvery, deadline: deadline, lease: lease,
        clock: clock)
    }
  }

  func sender(of text: String) -> SharedStore<Lines, [String]> {
    replicas[Int(text.prefix { $0 != "-" })!]
  }

  /// Each sender sends one after the other; their replicas send pending entries together.
  func sendAll(
    senders: Int, each count: Int
  ) async -> [String: Result<LogPosition, SharedStoreError>] {
    await withTaskGroup(of: [String: Result<LogPosition, SharedStoreError>].self) { group in
      for (number, replica) in replicas.enumerated() {
        for sender in 0..<senders {
          group.addTask {
            await Self.send(from: replica, as: "\(number)-\(sender)", count)
          }
        }
      }
      return await group.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
    }
  }

  private static func send(
    from replica: SharedStore<Lines, [String]>, as sender: String, _ count: Int
  ) async -> [String: Result<LogPosition, SharedStoreError>] {
    var told: [String: Result<LogPosition, SharedStoreError>] = [:]
    for number in 0..<count {
      let text = "\(sender).\(number)"
      do throws(SharedStoreError) {
        told[text] = .success(try await replica.send(LineIntent.add(text)))
      } catch {
        told[text] = .failure(error)
      }
    }
    return told
  }

  func calm() {
    for connection in connections { connection.setFaults(.init()) }
  }

  /// Lets all replicas reach the same position, also if an owner claims again meanwhile.
  func finish() async throws -> [Replicated<Lines, [String]>] {
    calm()
    for replica in replicas { try await replica.catchUpSurely() }
    var states: [Replicated<Lines, [String]>]
    repeat {
      let last = log.last
      for replica in replicas { await replica.reached(last) }
      states = replicas.map(\.store.state)
    } while Set(states.map(\.table.position)).count > 1
    for replica in replicas { await replica.close() }
    return states
  }
}

extension Result<LogPosition, SharedStoreError> {
  fileprivate var isNotSent: Bool {
    if case .failure(.notSent) = self { true } else { false }
  }
}
