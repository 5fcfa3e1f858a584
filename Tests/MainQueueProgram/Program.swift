import Foundation
import Glue
import Observation

#if os(Linux)
  import CEpoll
#endif

/// Runs the main queue in a loop of its own, in the way that its argument names, and prints what
/// happened: `MainQueueProgram MODE`.
@main
enum Program {
  static func main() {
    #if os(Linux)
      switch CommandLine.arguments.dropFirst().first {
      case "early": runEarlyWork()
      case "level": runFlood(edgeTriggered: false)
      case "edge": runFlood(edgeTriggered: true)
      case "turns": takeTurns()
      case "nested": nest()
      case "main": deliverOnTheMainQueue()
      case "observed": observe()
      case "RunLoop": shareWithRunLoop()
      case "thread": useOnAnotherThread()
      case "dispatchMain": useAfterDispatchMain()
      default: fatalError("unknown mode")
      }
    #endif
  }
}

#if os(Linux)
  struct Counter: Sendable { var value = 0 }
  struct Add: Intent {}
  struct Added: Effect { let value: Int }

  func counter(state: inout Counter, intent: Add) -> [any Effect] {
    state.value += 1
    return []
  }

  func announcing(state: inout Counter, intent: Add) -> [any Effect] {
    counter(state: &state, intent: intent) + [Added(value: state.value)]
  }

  /// Whether the main queue has something to run.
  func isReadable() -> Bool {
    var descriptor = pollfd(fd: MainQueue.fileDescriptor, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) == 1
  }

  /// Runs the main queue until a condition holds, and returns how often it was woken.
  @discardableResult
  func loop(edgeTriggered: Bool = false, until isDone: () -> Bool) -> Int {
    let queue = epoll_create1(0)
    defer { close(queue) }
    var event = epoll_event()
    event.events = EPOLLIN.rawValue | (edgeTriggered ? EPOLLET.rawValue : 0)
    epoll_ctl(queue, EPOLL_CTL_ADD, MainQueue.fileDescriptor, &event)
    var count = 0
    while !isDone() {
      guard epoll_wait(queue, &event, 1, -1) == 1 else { continue }
      count += 1
      MainQueue.run()
    }
    return count
  }

  // Only the main thread uses these.
  nonisolated(unsafe) var values: [Int] = []

  func note(_ value: Int) { values.append(value) }

  /// Work that was there before the descriptor.
  func runEarlyWork() {
    DispatchQueue.main.async { note(1) }
    Task { @MainActor in note(2) }
    loop { values.count == 2 }
    print(values, isReadable())
    MainQueue.run()
    print(values, isReadable())
  }

  /// Main-actor effects and subscribers of intents from four threads.
  func runFlood(edgeTriggered: Bool) {
    let store = Store(state: Counter(), reducer: announcing)
    store.on(Added.self) { @MainActor added, _ in note(added.value) }
    nonisolated(unsafe) var shown = 0
    let subscription = store.subscribe(selector: \.value) { @MainActor in
      if $0 == shown + 1 { shown = $0 }
    }
    for _ in 0..<4 {
      Thread.detachNewThread { for _ in 0..<5_000 { store.dispatch(Add()) } }
    }
    let wakeUps = loop(edgeTriggered: edgeTriggered) { values.count == 20_000 }
    subscription.cancel()
    print(values == Array(1...20_000), shown, wakeUps <= 20_001, isReadable())
  }

  /// A body that enqueues itself is run once a call.
  func takeTurns() {
    @Sendable func body() {
      note(values.count)
      DispatchQueue.main.async(execute: body)
    }
    DispatchQueue.main.async(execute: body)
    for _ in 1...3 {
      MainQueue.run()
      print(values, isReadable())
    }
  }

  /// Within a body, running the main queue is a no-op, and loses no wake-up.
  func nest() {
    DispatchQueue.main.async {
      DispatchQueue.main.async { note(2) }
      MainQueue.run()
      print(values, isReadable())
      note(1)
    }
    MainQueue.run()
    print(values, isReadable())
    MainQueue.run()
    print(values, isReadable())
  }

  /// First values and later ones, with deliveries on the main queue.
  func deliverOnTheMainQueue() {
    let store = Store(state: Counter(), reducer: counter, delivery: .main)
    let subscription = store.subscribe(selector: \.value) { note($0) }
    loop { values == [0] }
    Thread.detachNewThread { store.dispatch(Add()) }
    loop { values == [0, 1] }
    subscription.cancel()
    print(values)
  }

  /// Observation reports a commit of another thread.
  func observe() {
    let store = Store(state: Counter(), reducer: counter)
    let observed = MainActor.assumeIsolated { ObservedStore(store) }
    MainActor.assumeIsolated {
      withObservationTracking {
        note(observed.value)
      } onChange: {
        Task { @MainActor in note(observed.value) }
      }
    }
    Thread.detachNewThread { store.dispatch(Add()) }
    loop { values.count == 2 }
    print(values)
  }

  /// Foundation's run loop and the program's own take turns.
  func shareWithRunLoop() {
    for turn in 0..<3 {
      DispatchQueue.main.async { note(2 * turn) }
      while values.count < 2 * turn + 1 {
        _ = RunLoop.main.run(mode: .default, before: .distantFuture)
      }
      Thread.detachNewThread { DispatchQueue.main.async { note(2 * turn + 1) } }
      loop { values.count == 2 * turn + 2 }
    }
    print(values, isReadable())
  }

  /// Stops the program.
  func useOnAnotherThread() {
    print(isReadable())
    fflush(nil)
    Thread.detachNewThread {
      MainQueue.run()
      exit(0)
    }
    while true { pause() }
  }

  /// Stops the program, after the main thread has left the main queue to other threads.
  func useAfterDispatchMain() {
    DispatchQueue.main.async { note(1) }
    loop { values == [1] }
    print(values)
    fflush(nil)
    DispatchQueue.main.async {
      MainQueue.run()
      exit(0)
    }
    dispatchMain()
  }
#endif
