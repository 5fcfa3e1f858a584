internal import Foundation
internal import Glue
internal import GlueTesting

/// One start of a program on a machine; it ends with everything that runs there.
///
/// Nothing of a process that has ended runs any more: its steps are dropped, and its objects stay as
/// they are forever.
///
/// `@unchecked Sendable` is sound because its variable is set before it is used.
final class SimulatedProcess: TaskExecutor, @unchecked Sendable {
  /// A direction of messages over the network.
  enum Way: Sendable { case out, `in` }

  struct Content: Sendable {
    var isOver = false
    var isUp = false

    /// Whether a call of the files has failed, or a bit of them has changed.
    var hasBadDisk = false
    var busyUntil = Duration.zero

    /// The clients that wait for an answer.
    var clients: [Int: @Sendable () -> Void] = [:]
    var lastClient = 0

    /// Gets the files that the process leaves, and why it ended.
    var ended: (@Sendable (MemoryFiles, End) -> Void)?
  }

  /// The end of a process.
  struct End: Sendable {
    enum Cause: Sendable { case planned, fault, mistake(printed: String?) }

    /// The line of the story.
    let text: String
    let cause: Cause
  }

  let simulator: Simulator
  let name: String

  /// The number of the start.
  let number: Int
  let disk: SimulatedDisk
  private let content: Locked<Content>
  weak var world: World?

  init(
    _ name: String, _ simulator: Simulator, number: Int = 0, files: MemoryFiles = MemoryFiles(),
    ended: (@Sendable (MemoryFiles, End) -> Void)? = nil
  ) {
    (self.name, self.simulator, self.number) = (name, simulator, number)
    disk = SimulatedDisk(files)
    content = Locked(Content(ended: ended))
    disk.process = self
  }

  var clock: World.Clock { World.Clock(self) }
  var isOver: Bool { content.withLock { $0.isOver } }
  var busyUntil: Duration { content.withLock { $0.busyUntil } }
  var isUp: Bool {
    get { content.withLock { $0.isUp } }
    set { content.withLock { $0.isUp = newValue } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    simulator.add(.job(UnownedJob(job), on: self), of: self)
  }

  func beBusy(for time: Duration) {
    content.withLock { $0.busyUntil = max($0.busyUntil, simulator.now) + time }
  }

  /// How wrong the machine's wall clock is.
  var clockError: Duration { world?.clockError(of: name) ?? .zero }

  /// Decides whether another thread makes a call's deliveries, once the program is up.
  ///
  /// A thread outside always leaves them to the simulation's.
  func leavesDelivery() -> Bool {
    if Simulator.onThisThread !== simulator { return true }
    guard isUp, let world, world.happens(.contendedDelivery) != nil else { return false }
    world.tell(fault: "\(name): another thread delivers")
    return true
  }

  /// The process of a machine whose step the calling thread runs; nil for the test's own steps.
  static var onThisThread: SimulatedProcess? {
    let process = Simulator.onThisThread?.current
    return process === process?.world?.home ? nil : process
  }

  private var isRunning: Bool {
    Simulator.onThisThread === simulator && simulator.current === self
  }
}

// MARK: - Clients

extension SimulatedProcess {
  /// Lets a client wait for an answer, or for the end of the process.
  ///
  /// - Returns: the client's number; nil if the process has ended.
  func add(client fail: @escaping @Sendable () -> Void) -> Int? {
    content.withLock { content in
      if content.isOver { return nil }
      content.lastClient += 1
      content.clients[content.lastClient] = fail
      return content.lastClient
    }
  }

  func remove(client number: Int) {
    content.withLock { _ = $0.clients.removeValue(forKey: number) }
  }
}

// MARK: - Ending

extension SimulatedProcess {
  /// Crashes, fails or slows down the process at a call of its files, if the faults say so.
  func fault(at call: String, _ path: String) -> MemoryFiles.Fault? {
    guard let world, !isOver, isRunning else { return nil }
    let place = "\(call) \(path)"
    if ["write", "sync", "rename", "remove", "truncate", "mkdir"].contains(call) {
      if world.happens(.crashAtFileCall) != nil { crash("at \(place)") }
      if var random = world.happens(.failedFileCall) {
        let (code, reason) = Bool.random(using: &random) ? (EIO, "EIO") : (ENOSPC, "ENOSPC")
        return fail(place, reason, code, in: world)
      }
    }
    if call == "read", world.happens(.failedFileCall) != nil {
      return fail(place, "EIO", EIO, in: world)
    }
    if ["write", "sync", "read"].contains(call), var random = world.happens(.slowFileCall) {
      let time = Duration.milliseconds(Int.random(in: 10...2000, using: &random))
      world.tell(fault: "\(name): \(place) takes \(seconds(time))")
      beBusy(for: time)
    }
    return nil
  }

  private func fail(
    _ place: String, _ reason: String, _ code: Int32, in world: World
  ) -> MemoryFiles.Fault {
    world.tell(fault: "\(name): \(place) fails with \(reason)")
    noteBadDisk()
    return .error(code)
  }

  /// Lets the program stop itself by a trap, as it may do when it meets a broken disk.
  func noteBadDisk() { content.withLock { $0.hasBadDisk = true } }

  /// Ends the process because its program traps.
  ///
  /// - Parameters:
  ///   - why: the line of the story.
  ///   - printed: the text that the runtime has printed, if any.
  ///   - isAnswer: whether the trap can be the program's answer to a broken disk. Any other is a mistake.
  func trap(_ why: String, printed: String?, isAnswer: Bool) -> Never {
    let isAllowed = isAnswer && content.withLock { $0.hasBadDisk }
    stop(why, isAllowed ? .fault : .mistake(printed: printed))
  }

  /// Ends the process because its program stops.
  func stop(_ why: String, _ cause: End.Cause = .fault) -> Never {
    crash("stops: \(why)", isPower: false, cause)
    // Only a thread outside of the simulation comes here.
    fatalError(why)
  }

  /// Fails the simulation because of a mistake in the test, in the middle of its step.
  func refuse(_ mistake: String) {
    world?.fail("\(name): \(mistake)")
    if isRunning { simulator.endThread() }
  }

  private func noteMistake(_ why: String, _ printed: String?, in world: World) {
    let text = printed.map { "\n" + $0.trimmingCharacters(in: .newlines) } ?? ""
    world.fail(
      """
      \(name) \(why)\(text)
      It answers no failure of a file since that start, so this is a mistake in the program, or in code \
      of the test that runs there. A program that ends itself on purpose calls exit.
      """)
  }

  /// Ends the process in the middle of its step.
  ///
  /// If that step is the caller, this doesn't return.
  func crash(_ why: String, isPower: Bool? = nil, _ cause: End.Cause = .fault) {
    guard let world else { return }
    let (ended, clients) = content.withLock { content in
      defer {
        (content.isOver, content.isUp) = (true, false)
        (content.ended, content.clients) = (nil, [:])
      }
      return (content.ended, content.clients.sorted { $0.key < $1.key }.map(\.value))
    }
    if let ended {
      var random = world.generator(ofStart: number, of: name)
      let chance = Double.random(in: 0..<1, using: &random)
      let isPower = isPower ?? (chance < world.faults.powerFailures)
      let files = isPower ? disk.afterPowerFailure(&random) : disk.afterKill()
      bury(self)
      let kind = why.hasPrefix("stops: ") ? "" : isPower ? "power failure " : "killed "
      ended(files, End(text: kind + why, cause: cause))
      for fail in clients { fail() }
      if case .mistake(let printed) = cause { noteMistake(why, printed, in: world) }
    }
    if isRunning { simulator.endThread() }
  }
}
