import Dispatch
import Foundation
import Glue
import GlueTesting
import Testing

@testable import GlueJournal
@testable import GlueSimulation

/// Files that signal that a thread waits.
///
/// `@unchecked Sendable` is sound because it adds a constant.
private final class WaitingFiles: MemoryFiles, @unchecked Sendable {
  let isWaiting = DispatchSemaphore(value: 0)

  override func sleepBriefly() {
    isWaiting.signal()
    super.sleepBriefly()
  }
}

@Suite("J6: a journal that cannot write stops its program")
struct J6FailingTests {
  @Test("short writes and interrupted calls continue", arguments: 0..<20)
  func shortWrites(seed: Int) throws {
    let random = Shared(Xorshift(seed: UInt64(seed)))
    let files = MemoryFiles()
    files.watch { call, _ in
      var fault: MemoryFiles.Fault?
      random.change { random in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: fault = .short
        case 1 where ["read", "write", "sync", "open", "list", "lock"].contains(call):
          fault = .error(EINTR)
        default: break
        }
      }
      return fault
    }
    for session in 0..<3 {
      let journal = try Journal(in: files, tallyFormat, smallestLog: 700)
      let store = try Store(state: Tally(), reducer: tally, journal: journal)
      #expect(store.state == .after(session * 9))
      for value in 1...9 { store.dispatch(TallyIntent.add(session * 9 + value)) }
    }
  }

  @Test("an opening that can't read or write throws, and changes nothing that matters")
  func failingOpenings() throws {
    let files = MemoryFiles()
    _ = try recovered(files)
    for number in 0..<40 {
      let calls = Shared(0)
      let left = files.afterKill()
      left.watch { _, _ in
        calls.change { $0 += 1 }
        return calls.value == number + 1 ? .error(EIO) : nil
      }
      let journal = Result { try Journal(in: left, tallyFormat) }
      left.watch(nil)
      if calls.value <= number { break }
      #expect(throws: JournalError.self) { try journal.get() }
      #expect(try recovered(left) == Tally())
    }
  }

  @Test("the program ends with a message, and notifies no unwritten commit")
  func failingWrite() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let files = MemoryFiles()
        let journal = try Journal(in: files, tallyFormat) {
          FileHandle.standardError.write(Data("told of: \($0)\n".utf8))
        }
        let store = try Store(state: Tally(), reducer: tally, journal: journal)
        let subscription = store.subscribe(selector: \.count) {
          FileHandle.standardError.write(Data("count \($0)\n".utf8))
        }
        store.dispatch(TallyIntent.add(1))
        files.watch { call, _ in call == "write" ? .error(ENOSPC) : nil }
        store.dispatch(TallyIntent.add(2))
        subscription.cancel()
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("count 1\n") && !text.contains("count 2\n"))
    #expect(text.contains("told of: /j/0000000000000001.log: cannot write"))
    #expect(text.contains("No space left on device"))
    #expect(text.contains("the last commit known to be on the disk is 1"))
  }

  @Test("while a failure is reported, other threads wait, even if they could write")
  func otherThreads() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let (files, slot) = (WaitingFiles(), Shared<Journal<Tally>?>(nil))
        let journal = try Journal(in: files, tallyFormat) { failure in
          files.watch { call, _ in
            if call == "write" { FileHandle.standardError.write(Data("written\n".utf8)) }
            return nil
          }
          Task(executorPreference: InlineExecutor()) {
            try? await slot.value?.synced()
            FileHandle.standardError.write(Data("returned\n".utf8))
            files.isWaiting.signal()
          }
          files.isWaiting.wait()
          FileHandle.standardError.write(Data("told of: \(failure)\n".utf8))
        }
        slot.change { $0 = journal }
        let store = try Store(state: Tally(), reducer: tally, journal: journal)
        files.watch { call, _ in call == "write" ? .error(ENOSPC) : nil }
        store.dispatch(TallyIntent.add(1))
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("told of: /j/0000000000000001.log: cannot write"))
    #expect(!text.contains("written\n") && !text.contains("returned\n"), "\(text)")
  }

  private struct Nested: Codable, Sendable {
    var inner: [Nested] = []

    /// So many levels of lists, each in a structure.
    init(depth: Int = 0) {
      for _ in 0..<depth {
        var outer = Nested()
        outer.inner = [self]
        self = outer
      }
    }

    @Sendable static func nest(state: inout Nested, intent: TallyIntent) -> [any Effect] {
      if case .add(let depth) = intent { state = Nested(depth: depth) }
      return []
    }

    static let format = JournalFormat(
      of: Nested.self, intents: [.named("tally", TallyIntent.self)])
  }

  @Test("a state too deep to be read is reported, not written, and the program continues")
  func deepState() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let files = MemoryFiles()
        let journal = try Journal(in: files, Nested.format, snapshots: .every(2)) { _ in
          do {
            let again = try Journal(in: files.afterKill(), Nested.format)
            let store = try Store(state: Nested(), reducer: Nested.nest, journal: again)
            FileHandle.standardError.write(Data("opened: \(store.state.inner.count)\n".utf8))
          } catch { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
        }
        let store = try Store(state: Nested(), reducer: Nested.nest, journal: journal)
        for depth in [10, 240, 1, 260] { store.dispatch(TallyIntent.add(depth)) }
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("opened: 1\n"))
    #expect(text.contains("a value of type Nested can't be written: it is nested deeper than 500"))
    #expect(!text.contains("Repair the disk") && !text.contains("inner:"))
  }

  @Test("opening refuses a first state that is too deep; debug builds report half that depth")
  func deepFirstState() throws {
    // The coder would overflow the stack with the second one.
    for depth in [252, 5000] {
      let journal = try Journal(in: MemoryFiles(), Nested.format)
      #expect(throws: JournalError.self) {
        try Store(state: Nested(depth: depth), reducer: Nested.nest, journal: journal)
      }
    }
    let reports = Lines()
    let store = try Store(
      state: Nested(), reducer: Nested.nest,
      journal: Journal(in: MemoryFiles(), Nested.format, reports: reports))
    for depth in [120, 130, 140] { store.dispatch(TallyIntent.add(depth)) }
    #if DEBUG
      #expect(reports.all.count == 1 && reports.all[0].contains("the depth of the state is 26"))
    #else
      #expect(reports.all == [])
    #endif
  }

  @Test("after a failed sync nothing is written")
  func failingSync() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let files = MemoryFiles()
        let failed = Shared(false)
        let reference = Shared<Store<Tally>?>(nil)
        let journal = try Journal(in: files, tallyFormat) { _ in
          reference.value?.dispatch(TallyIntent.add(2))
          reference.value?.dispatch(TallyIntent.add(3))
        }
        let store = try Store(state: Tally(), reducer: tally, journal: journal)
        reference.change { $0 = store }
        files.watch { call, _ in
          if failed.value {
            FileHandle.standardError.write(Data("called \(call)\n".utf8))
            return nil
          }
          if call != "sync" { return nil }
          failed.change { $0 = true }
          return .error(EIO)
        }
        store.dispatch(TallyIntent.add(1))
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(!text.contains("called"))
    #expect(text.contains("sync") && text.contains("is 0"))
  }
}
