import Dispatch
import Glue
import GlueSimulation
import ProcessSupport
import Testing

@testable import GlueJournal

@Suite(
  "J3: which thread writes and notifies, for each delivery in the documentation's table",
  .tags(.threads))
struct J3WritingThreadTests {
  private static let name = DispatchSpecificKey<String>()

  /// A queue whose name `noting` finds in the calls that are made on it.
  private static func namedQueue(_ name: String) -> DispatchQueue {
    let queue = DispatchQueue(label: name)
    queue.setSpecific(key: Self.name, value: name)
    return queue
  }

  private let lines = Lines()
  private let files = MemoryFiles()
  private let caller = Self.namedQueue("caller")
  private let returned = "dispatch returned"

  /// Notes a call with the queue on which it is made.
  private func note(_ call: String) {
    lines.append("\(call) on \(DispatchQueue.getSpecific(key: Self.name) ?? "none")")
  }

  /// The calls that one dispatch causes.
  ///
  /// The block `deliver` lets its deliveries happen. The subscriber is a plain one, or has the form
  /// that the compiler checks.
  private func calls(
    _ delivery: Delivery, drawsOnMainActor: Bool = false,
    deliver: (Store<Tally>) async -> Void
  ) async throws -> [String] {
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(state: Tally(), reducer: tally, delivery: delivery, journal: journal)
    let subscription =
      drawsOnMainActor
      ? store.subscribe(selector: \.count) { @MainActor count in
        MainActor.assertIsolated()
        note("draw \(count)")
      }
      : store.subscribe(selector: \.count) { note("draw \($0)") }
    await deliver(store)
    let begun = lines.all.count
    files.watch { call, _ in
      if ["write", "sync"].contains(call) { note(call) }
      return nil
    }
    caller.sync { store.dispatch(TallyIntent.add(1)) }
    lines.append(returned)
    await deliver(store)
    files.watch(nil)
    subscription.cancel()
    return Array(lines.all[begun...])
  }

  @Test("a terminal, a daemon: under .immediate the dispatching thread does all, before it returns")
  func immediate() async throws {
    let calls = try await calls(.immediate) { _ in }
    #expect(calls == ["write on caller", "sync on caller", "draw 1 on caller", returned])
  }

  @Test("a server: the queue writes, so a dispatching thread only reduces")
  func queue() async throws {
    let calls = try await calls(.queue(Self.namedQueue("store"))) { store in await store.delivered()
    }
    #expect(
      calls.filter { $0 != returned } == ["write", "sync", "draw 1"].map { "\($0) on store" })
  }

  @Test("a window of the main actor: the queue writes, and the main actor draws")
  func window() async throws {
    DispatchQueue.main.setSpecific(key: Self.name, value: "main")
    let calls = try await calls(.queue(Self.namedQueue("store")), drawsOnMainActor: true) { store in
      await store.delivered()
    }
    #expect(
      calls.filter { $0 != returned } == ["write on store", "sync on store", "draw 1 on main"])
  }

  @Test("under .main, the main queue writes and syncs before it draws")
  func main() async throws {
    DispatchQueue.main.setSpecific(key: Self.name, value: "main")
    let calls = try await calls(.main) { store in await store.delivered() }
    #expect(
      calls.filter { $0 != returned } == ["write", "sync", "draw 1"].map { "\($0) on main" })
  }

  @Test("under .custom, the loop writes and syncs before it draws")
  func loop() async throws {
    let (loop, bodies) = (Self.namedQueue("loop"), Shared<[@Sendable () -> Void]>([]))
    let delivery = Delivery.custom { body in bodies.change { $0.append(body) } }
    let calls = try await calls(delivery) { _ in
      while !bodies.value.isEmpty {
        let waiting = bodies.value
        bodies.change { $0.removeFirst(waiting.count) }
        loop.sync { for body in waiting { body() } }
      }
    }
    #expect(calls == [returned] + ["write", "sync", "draw 1"].map { "\($0) on loop" })
  }
}
