/// The record of a drainer's deliveries.
struct DeliveryChecks {
  /// The store's watch, if any.
  private(set) var watch: Watch?

  /// While it looks for deliveries that don't end: how many will have been taken when all are new, and
  /// the types of those.
  private var lastKnown: Int?
  private var subjects: [Any.Type] = []

  #if DEBUG
    private(set) var slowCalls: SlowCalls?

    /// When draining began, if there is a watch.
    private var start: Duration?
  #endif

  mutating func watch(by watch: Watch, report: @escaping @Sendable (Problem) -> Void) {
    self.watch = watch
    #if DEBUG
      slowCalls = SlowCalls(now: watch.time.now, report: report)
    #endif
  }

  /// Whether draining has taken more than two seconds; debug builds with a watch measure that.
  var isLate: Bool {
    #if DEBUG
      if let watch, let start { return watch.time.now() - start > .seconds(2) }
    #endif
    return false
  }

  mutating func beginDraining() {
    if lastKnown != nil { (lastKnown, subjects) = (nil, []) }
    #if DEBUG
      start = watch?.time.now()
      watch?.begin()
    #endif
  }

  @inline(__always)
  func beginCall(of subject: @autoclosure () -> Any.Type?) {
    #if DEBUG
      if let slowCalls, let subject = subject() { slowCalls.begin(subject) }
    #endif
  }

  @inline(__always)
  func endCall() {
    #if DEBUG
      slowCalls?.end()
    #endif
  }

  /// Records the types of what is delivered, once all is delivered that was pending at the first call.
  ///
  /// - Parameters:
  ///   - new: the types of the deliveries taken last.
  ///   - count: how many have been taken.
  ///   - pending: how many are pending.
  /// - Returns: the types, when they are 16.
  mutating func types(of new: [Any.Type], count: Int, pending: Int) -> [Any.Type]? {
    guard let last = lastKnown else {
      lastKnown = count + pending
      return nil
    }
    if count > last { subjects += new }
    return subjects.count < 16 ? nil : subjects
  }
}
