/// The deliveries that a store must make: the model's outbox and drainer.
struct InterleavedDeliveries {
  private enum Phase: Equatable {
    case idle

    /// A call of the store delivers, until nothing is due.
    case call(Int, thread: Int)

    /// One of these threads must hand over a body.
    case poster(threads: Set<Int>)

    /// A body was handed over, or is being so.
    case posted(Int, by: Int)

    /// A run of a body delivers the entries that were pending when it began. Of it and of the call
    /// that posted it, the one that ends last posts the next: the poster, if the run is inline.
    case body(run: Int, thread: Int, isInline: Bool, poster: Int)
  }

  var rareCases: Set<RareCase> = []

  private typealias Fault = InterleavedModel.Fault

  private let isImmediate: Bool
  private var queued: [Call] = []
  private var due: [Call] = []
  private var canceled: Set<Int> = []
  private var phase = Phase.idle
  private var open: (call: Call, thread: Int)?

  init(isImmediate: Bool) { self.isImmediate = isImmediate }

  mutating func queue(_ call: Call) { queued.append(call) }

  mutating func cancel(_ subscriber: Int, on thread: Int) {
    if (due + queued).contains(where: { $0.subscriber == subscriber }) {
      rareCases.insert(.queuedCallIsCancelled)
    }
    if let open, open.call.subscriber == subscriber {
      rareCases.insert(
        open.thread == thread ? .callIsCancelledFromWithin : .callIsCancelledWhileItRuns)
    }
    canceled.insert(subscriber)
  }

  mutating func forgetStore() {
    if phase != .idle { rareCases.insert(.storeIsForgottenWhileDelivering) }
  }

  /// Starts to deliver a call's entries, unless another thread is delivering.
  mutating func begin(in call: Int, on thread: Int) {
    if queued.isEmpty { return }
    if let deliverer, deliverer != thread { rareCases.insert(.callIsMadeForAnotherThread) }
    if phase != .idle { return }
    phase = isImmediate ? .call(call, thread: thread) : .poster(threads: [thread])
  }

  mutating func follow(_ event: Event, on thread: Int) throws {
    switch event {
    case .returns(let call): try end(in: call)
    case .begins(let call): try begin(call, on: thread)
    case .ends(let call): try end(call, on: thread)
    case .posted(let body): try post(body, on: thread)
    case .runsBody(let body, let run, let isInline): start(body, run, isInline, on: thread)
    case .ranBody(_, let run):
      if case .body(run, thread, _, let poster) = phase { try endBatch(on: [thread, poster]) }
    case .dropsBody(let body): drop(body)
    default: break
    }
  }

  func checkEnd() throws {
    try Fault.check(open == nil && phase == .idle, "G3: the delivery has not ended: \(phase)")
    try checkNothingIsLeft(of: due + queued)
  }

  // MARK: Calls

  private var deliverer: Int? {
    switch phase {
    case .call(_, let thread), .body(_, let thread, _, _): thread
    case .idle, .poster, .posted: nil
    }
  }

  private mutating func begin(_ call: Call, on thread: Int) throws {
    if let open {
      let isNested = open.thread == thread
      try Fault.check(false, "\(isNested ? "G5: inside" : "G3: during") \(open.call)")
    }
    try Fault.check(thread == deliverer, "G3: this thread does not deliver: \(phase)")
    try Fault.check(!isCancelled(call), "G8: it was canceled")
    if isImmediate { takeQueued() }
    while let next = due.first, isCancelled(next) { due.removeFirst() }
    try Fault.check(call == due.first, "G3, G4, G8: the next is \(due.first, default: "nothing")")
    due.removeFirst()
    open = (call, thread)
  }

  private mutating func end(_ call: Call, on thread: Int) throws {
    try Fault.check(open?.call == call && open?.thread == thread, "G3: it is not running")
    open = nil
  }

  /// A store's call that delivers returns only when nothing is due.
  private mutating func end(in call: Int) throws {
    guard case .call(call, _) = phase else { return }
    takeQueued()
    try checkNothingIsLeft(of: due)
    (due, phase) = ([], .idle)
  }

  private mutating func takeQueued() {
    due += queued
    queued = []
  }

  private func isCancelled(_ call: Call) -> Bool {
    call.subscriber.map { canceled.contains($0) } ?? false
  }

  private func checkNothingIsLeft(of calls: [Call]) throws {
    let left = calls.filter { !isCancelled($0) }
    try Fault.check(left.isEmpty, "G1, G4: not delivered: \(left)")
  }

  // MARK: Bodies

  private mutating func post(_ body: Int, on thread: Int) throws {
    if case .body(_, thread, let isInline, _) = phase {
      try Fault.check(!isInline, "G5: posted by an inline body")
      rareCases.insert(.bodyIsPostedByBody)
      try endBatch(on: [thread])
    }
    guard case .poster(let threads) = phase, threads.contains(thread) else {
      throw Fault(description: "G3: a second body: \(phase)")
    }
    phase = .posted(body, by: thread)
  }

  private mutating func start(_ body: Int, _ run: Int, _ isInline: Bool, on thread: Int) {
    guard case .posted(body, let poster) = phase else {
      return _ = rareCases.insert(.bodyIsRunAgain)
    }
    phase = .body(run: run, thread: thread, isInline: isInline, poster: poster)
    takeQueued()
  }

  private mutating func endBatch(on threads: Set<Int>) throws {
    try checkNothingIsLeft(of: due)
    (due, phase) = ([], queued.isEmpty ? .idle : .poster(threads: threads))
  }

  private mutating func drop(_ body: Int) {
    guard case .posted(body, _) = phase else { return }
    rareCases.insert(.bodyIsDropped)
    (queued, phase) = ([], .idle)
  }
}

extension Call {
  fileprivate var subscriber: Int? {
    if case .tell(let subscriber, _) = self { subscriber } else { nil }
  }
}
