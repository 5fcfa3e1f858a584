import Glue
import Synchronization

@testable import Replication

/// What the tests share: every line, in order, so that what came twice or not at all shows.
struct Lines: Codable, Equatable, Sendable {
  var lines: [String] = []
  var mailed: [String] = []
}

enum LineIntent: Intent, Codable, Equatable {
  case add(String)
  case ring(String)
  case order(String)
  case mailed(String)
}

struct Ring: Effect, Equatable {
  let text: String
}

struct Mail: OwnedEffect, Equatable {
  let text: String
}

@Sendable func lines(state: inout Lines, intent: LineIntent) -> [any Effect] {
  switch intent {
  case .add(let text): state.lines.append(text)
  case .ring(let text):
    state.lines.append(text)
    return [Ring(text: text)]
  case .order(let text): return [Mail(text: text)]
  case .mailed(let text): state.mailed.append(text)
  }
  return []
}

let lineNames = Names(.intent("line", LineIntent.self), .effect("mail", Mail.self))

/// Time that passes only where somebody waits for it.
final class JumpingTime: Sendable {
  private let now = Mutex(Duration.zero)

  var timing: Timing {
    var timing = Timing(ContinuousClock())
    timing.now = { self.now.withLock { $0 } }
    timing.sleep = { duration in
      // Others get on meanwhile, the further the longer it is.
      for _ in 0...min(200, Int(duration / .milliseconds(10))) {
        try Task.checkCancellation()
        await Task.yield()
      }
      self.now.withLock { $0 += duration }
    }
    return timing
  }

  func pass(_ duration: Duration) { now.withLock { $0 += duration } }
}

func replica(
  of log: some Log, version: Int = 1, snapshotEvery: Int = 10_000,
  deadline: Duration = .seconds(15), lease: Duration = .seconds(10),
  timing: Timing = JumpingTime().timing
) -> SharedStore<Lines, [String]> {
  SharedStore(
    state: Lines(),
    reducer: { state, intent in
      guard let intent = intent as? LineIntent else { return [] }
      return lines(state: &state, intent: intent)
    },
    local: [],
    localReducer: { local, intent in
      local.append("\(intent)")
      return []
    },
    names: lineNames, version: version, log: log, deadline: deadline, snapshotEvery: snapshotEvery,
    lease: lease, timing: timing)
}

extension SharedStore {
  /// Waits until this replica has reduced the entry at a position.
  func reached(_ position: Position) async {
    for await reached in store.values(of: { $0.table.position }) where reached >= position {
      return
    }
  }

  /// Sends until it has been sent, without ever sending it twice.
  func sendSurely(_ intent: some Intent) async throws(SharedStoreError) {
    while true {
      do throws(SharedStoreError) {
        try await send(intent)
        return
      } catch .notSent {
      } catch .unknownOutcome(let ticket) {
        if try await outcomeSurely(of: ticket) != nil { return }
      }
    }
  }

  /// A short deadline may pass while the reader still waits to try again.
  func catchUpSurely() async throws(SharedStoreError) {
    while true {
      do throws(SharedStoreError) {
        try await catchUp()
        return
      } catch .notSent {
      } catch .unknownOutcome {
      }
    }
  }

  func outcomeSurely(of ticket: Ticket) async throws(SharedStoreError) -> Position? {
    while true {
      do throws(SharedStoreError) {
        return try await outcome(of: ticket)
      } catch .notSent {
      } catch .unknownOutcome(let other) where other != ticket {
      }
    }
  }

  func link(where matches: (Link) -> Bool) async -> Link? {
    for await link in store.values(of: { $0.link }) where matches(link) { return link }
    return nil
  }
}

/// What several tasks note, in the order in which they did.
final class Noted<Value: Sendable>: Sendable {
  private let noted = Mutex<[Value]>([])

  var all: [Value] { noted.withLock { $0 } }

  func add(_ value: Value) { noted.withLock { $0.append(value) } }
}
