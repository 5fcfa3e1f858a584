import Dispatch
import Glue
import ProcessSupport
import Testing

@Suite("Subscribing", .tags(.threads), .unwatched)
struct SubscribingTests {
  @Test("the current value comes first, before subscribe returns if no other thread is delivering")
  func currentValueFirst() {
    let store = Store()
    store.add(42)
    let transcript = Transcript<Int>()
    let subscription = store.subscribe(selector: \.value) { transcript.write($0) }
    #expect(transcript.lines == [42])
    withExtendedLifetime(subscription) {}
  }

  @Test("a handler need not be Sendable")
  func notSendable() {
    final class Screen {
      var lines: [Int] = []
      let transcript: Transcript<[Int]>
      init(_ transcript: Transcript<[Int]>) { self.transcript = transcript }
    }
    let store = Store()
    let transcript = Transcript<[Int]>()
    let screen = Screen(transcript)
    let subscription = store.subscribe(selector: \.value) {
      screen.lines.append($0)
      screen.transcript.write(screen.lines)
    }
    store.add(1)
    #expect(transcript.lines == [[0], [0, 1]])
    withExtendedLifetime(subscription) {}
  }

  @Test("an optional value's nil is a value like any other")
  func optionals() {
    let store = Store()
    let transcript = Transcript<Int?>()
    let subscription = store.subscribe(selector: { $0.value > 0 ? $0.value : nil }) {
      transcript.write($0)
    }
    for number in [0, 1, 0, -1] { store.add(number) }
    #expect(transcript.lines == [nil, 1, nil])
    withExtendedLifetime(subscription) {}
  }

  @Test("a value that is not equal to itself is delivered at every commit")
  func neverEqual() {
    let store = Store()
    let transcript = Transcript<Bool>()
    let subscription = store.subscribe(selector: { _ in Double.nan }) {
      transcript.write($0.isNaN)
    }
    store.dispatch(CounterIntent.ignore)
    #expect(transcript.lines == [true, true])
    withExtendedLifetime(subscription) {}
  }

  /// Queues on which a subscriber may be called.
  static let queues = [
    DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent),
  ]

  @Test(
    "a queue's calls come on that queue, in order and without overlap, serial or concurrent",
    arguments: queues.indices)
  func onAQueue(index: Int) async {
    let queue = Self.queues[index]
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let store = Store()
    let transcript = Transcript<Int>()
    let elsewhere = Shared(0)
    let done = Signal()
    let subscription = store.subscribe(on: queue, selector: \.value) {
      if DispatchQueue.getSpecific(key: key) != true { elsewhere.change { $0 += 1 } }
      transcript.write($0)
      if $0 == 1000 { done.send() }
    }

    await onThread { for _ in 0..<1000 { store.add(1) } }
    await done.wait()

    #expect(transcript.lines == Array(0...1000))
    #expect(elsewhere.value == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test("a concurrent queue's next call waits for the one that is running")
  func withoutOverlap() async {
    let store = Store()
    let transcript = Transcript<String>()
    let inFirst = Gate()
    let mayLeave = Gate()
    let done = Signal()
    let subscription = store.subscribe(on: Self.queues[1], selector: \.value) {
      transcript.write("enter \($0)")
      if $0 == 0 {
        inFirst.open()
        mayLeave.pass()
      }
      transcript.write("exit \($0)")
      if $0 == 1 { done.send() }
    }

    await onThread {
      inFirst.pass()
      store.add(1)
      // A call queued after the second one has run, so that one would have run too if it did not
      // wait.
      for _ in 0..<100 {
        let ran = Gate()
        Self.queues[1].async { ran.open() }
        ran.pass()
      }
      mayLeave.open()
    }
    await done.wait()

    #expect(transcript.lines == ["enter 0", "exit 0", "enter 1", "exit 1"])
    withExtendedLifetime(subscription) {}
  }

  @Test("a queued call checks for cancellation when it starts")
  func cancellingOnAQueue() async {
    let queue = DispatchQueue(label: "suspended")
    queue.suspend()
    let store = Store()
    let transcript = Transcript<Int>()
    let canceled = store.subscribe(on: queue, selector: \.value) { transcript.write($0) }
    let whole = store.subscribe(on: queue) { transcript.write(100 + $0.value) }
    store.add(1)

    canceled.cancel()
    queue.resume()
    await onThread { queue.sync {} }
    let last = Signal()
    let fence = store.subscribe(on: queue) { _ in last.send() }
    await last.wait()

    #expect(transcript.lines == [100, 101])
    withExtendedLifetime((whole, fence)) {}
  }
}
