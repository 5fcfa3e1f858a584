import CPostgreSQL
import Foundation
import Glibc
import GlueCluster
import Synchronization

/// A connection to PostgreSQL that is made when it is needed, and used by one call at a time, on a
/// queue of its own.
///
/// A server that does not answer in time loses the connection: what it had been asked may still be
/// done, and its answer would come to the next call. Each statement is a transaction of its own, so
/// that a process which freezes between two holds no lock.
final class Session: Sendable {
  struct State {
    var connection: UInt = 0

    /// The logs that this connection has seen to.
    var logs: Set<String> = []
    var waiters: [Waiter] = []

    /// Whether a watch is queued: a second one would keep calls waiting that have woken the first.
    var isWatched = false
  }

  let address: String
  let listens: Bool
  private let queue = DispatchQueue(label: "PostgreSQLLog")
  let state = Mutex(State())

  /// What is written at one end wakes the queue, if it waits for notifications.
  let wake: (out: Int32, into: Int32)

  init(_ address: String, listens: Bool = false) {
    self.address = address
    self.listens = listens
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "The system has no pipe left.")
    wake = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    PQfinish(OpaquePointer(bitPattern: state.withLock { $0.connection }))
    close(wake.out)
    close(wake.into)
  }

  /// Refuses what is no address.
  static func check(_ address: String) throws(LogError) {
    var problem: UnsafeMutablePointer<CChar>?
    let options = PQconninfoParse(address, &problem)
    defer {
      PQconninfoFree(options)
      PQfreemem(problem)
    }
    if options == nil {
      throw .refused("\"\(address)\": " + trimmed(problem.map { String(cString: $0) } ?? ""))
    }
  }

  /// Uses the connection on its queue, for as long as it may take.
  func run<Value: Sendable>(
    within limit: Duration, _ body: @escaping @Sendable (Use) throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    let use = Use(session: self, end: ContinuousClock.now + limit)
    return try await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: Result { () throws(LogError) in try body(use) })
        watchIfNeeded()
      }
      interrupt()
    }.get()
  }

  /// Lets what waits for notifications look around.
  func interrupt() { _ = write(wake.into, "x", 1) }

  /// Waits for notifications behind the calls that are queued already.
  private func watchIfNeeded() {
    let isNeeded = state.withLock { state in
      if state.waiters.isEmpty || state.isWatched { return false }
      state.isWatched = true
      return true
    }
    guard isNeeded else { return }
    queue.async { [weak self] in
      self?.watch()
      self?.state.withLock { $0.isWatched = false }
      self?.watchIfNeeded()
    }
  }

  private func watch() {
    let use = Use(session: self, end: .now)
    var channels = use.notifications()
    let waiters = state.withLock { $0.waiters }
    if channels?.isEmpty == true, let end = waiters.map(\.end).min(),
      !waiters.contains(where: \.isOver)
    {
      use.poll(Int16(POLLIN), until: end, orWake: true)
      channels = use.notifications()
    }
    // Without a connection all look for themselves.
    let isDone = { (waiter: Waiter) in
      waiter.isOver || channels?.contains(waiter.channel) ?? true
    }
    let done = state.withLock { state in
      defer { state.waiters.removeAll(where: isDone) }
      return state.waiters.filter(isDone)
    }
    for waiter in done { waiter.resume() }
  }
}

func trimmed(_ text: String) -> String {
  text.trimmingCharacters(in: .whitespacesAndNewlines)
}
