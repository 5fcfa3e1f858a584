internal import Glue
internal import GlueJournal
internal import GlueSimulationOutput

/// The files of one start of a machine, and everything else that a journal takes from the system.
///
/// `@unchecked Sendable` is sound because its variable is set before it is used.
final class SimulatedDisk: MemoryFiles, @unchecked Sendable {
  weak var process: SimulatedProcess?

  override init(restarts: Int) { super.init(restarts: restarts) }

  convenience init(_ files: MemoryFiles) {
    self.init(restarts: files.restarts)
    let content = files.disk.withLock { $0 }
    disk.withLock { ($0.nodes, $0.last) = (content.nodes, content.last) }
    watch { [weak self] call, path in self?.process?.fault(at: call, path) }
  }

  private var now: Duration { process?.simulator.now ?? .zero }

  override func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "/" + path }
  override var microseconds: Int {
    glue_epoch * 1_000_000 + Int((now + (process?.clockError ?? .zero)) / .microseconds(1))
  }
  override var uptime: Duration { now }
  override func yieldThread() {}
  override func sleepBriefly() { process?.simulator.pass(.milliseconds(5)) }
  override func number() -> UInt32 { UInt32(truncatingIfNeeded: process?.world?.number() ?? 0) }
  override var owner: String { "1\n\(process?.name ?? "")\n" }

  override func chooseSmallestLog() -> Int? {
    guard let process, let world = process.world, var random = world.happens(.buggified) else {
      return nil
    }
    let size = Int.random(in: 100...10_000, using: &random)
    world.tell(fault: "\(process.name): a journal's logs need \(size) bytes for a new state")
    return size
  }

  override func makeQueue(_ label: String, isUrgent: Bool) -> any WorkQueue {
    SimulatedQueue(of: process)
  }

  override func report(_ line: String) {
    guard let process else { return }
    process.world?.tell("\(process.name): \(line)")
  }

  override func noteDivergence(_ text: String) {
    guard let process, let world = process.world, world.failsOnDivergence else { return }
    world.fail(
      "\(process.name): \(text)\nLikely the reducer isn't pure: it uses Date(), random numbers, or the "
        + "order of a Set or a Dictionary")
  }

  override func noteStore(on clock: any Clock<Duration>, after commit: Int?) {
    guard let process else { return }
    let owner = (clock as? World.Clock)?.process
    if owner !== process {
      let name = owner.map { $0.name == process.name ? "an earlier start" : $0.name }
      let other = name.map { "the clock of \($0)" } ?? "\(type(of: clock))"
      process.refuse(
        "a store with a journal measures time by \(other). Give it the machine's time, by "
          + "`clock: node.clock`")
    }
    if let commit { process.world?.tell("\(process.name): recovers commit \(commit)") }
  }

  override func stop(_ message: String) -> Never {
    if let process { process.stop(shortened(message)) }
    fatalError(message)
  }

  /// Makes the directories above it too, which a machine has from the start.
  override func makeDirectory(_ path: String) throws {
    disk.withLock { disk in
      var parent = ""
      for name in path.split(separator: "/").dropLast() {
        if disk.node("\(parent)/\(name)", nil) == nil,
          let place = disk.place("\(parent)/\(name)", nil)
        {
          _ = disk.add(Node(names: [:]), as: place.name, in: place.directory)
          disk.nodes[place.directory]?.sync()
        }
        parent += "/\(name)"
      }
    }
    try super.makeDirectory(path)
  }

  override func write(
    _ file: Int32, at offset: Int?, _ bytes: UnsafeRawBufferPointer
  ) throws -> Int {
    let count = try super.write(file, at: offset, bytes)
    if offset == nil { tellCommits(in: bytes.prefix(count)) }
    return count
  }

  /// Adds the commits that a journal has written to the story: lines with a checksum and JSON.
  private func tellCommits(in bytes: Slice<UnsafeRawBufferPointer>) {
    guard let process, let world = process.world else { return }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line.dropFirst(9), as: UTF8.self)
      guard let commit = RecordedLine(text) else { continue }
      world.tell("\(process.name): commit \(commit.number) \(shortened(commit.intent, to: 300))")
    }
  }
}

/// Lets machines refuse journals on the system's disk, which would outlive every run.
let refusingSystemDisk: Void = {
  systemDiskWatch.withLock { watch in
    watch = { path in
      SimulatedProcess.onThisThread?.refuse(
        "a journal at \(path) is on the system's disk. Put it on the machine's, by `on: node.disk`")
    }
  }
}()

/// Runs bodies one after the other, as steps of the simulation; those of the main queue on the main
/// actor.
final class SimulatedQueue: WorkQueue {
  private let bodies = Locked<[@Sendable () -> Void]>([])
  private let process: SimulatedProcess?
  private let isMain: Bool

  init(of process: SimulatedProcess?, isMain: Bool = false) {
    (self.process, self.isMain) = (process, isMain)
  }

  func run(_ body: @escaping @Sendable () -> Void) {
    bodies.withLock { $0.append(body) }
    if isMain && Simulator.onThisThread != nil {
      Task { @MainActor in self.runNext() }
    } else {
      process?.simulator.add(.body { self.runNext() }, of: process)
    }
  }

  func run(after time: Duration, _ body: @escaping @Sendable () -> Void) {
    guard let process else { return }
    let simulator = process.simulator
    simulator.alarm(at: simulator.now + time, of: process, .body { self.run(body) })
  }

  /// Runs the bodies so far here, because nothing else can.
  func wait() { while runNext() {} }

  @discardableResult
  private func runNext() -> Bool {
    guard let body = bodies.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
    body()
    return true
  }
}
