internal import GlueTesting

extension World {
  /// How long one run of a simulation may take.
  public struct Limits: Sendable {
    /// The longest virtual time.
    public var time = Duration.seconds(24 * 3600)

    /// The greatest number of steps.
    public var steps = 2_000_000

    /// How much real time one step may take.
    public var patience = Duration.seconds(10)

    /// Creates the default limits.
    public init() {}
  }

  /// The things that go wrong in a simulation, and how often.
  ///
  /// The shares are probabilities from 0 to 1. ``World/heal()`` and
  /// ``World/eventually(_:within:_:)`` set them to ``none``.
  public struct Faults: Sendable {
    /// The share of the calls that change files at which the machine crashes.
    public var crashesAtFileCalls = 0.02

    /// The share of the calls to something outside before which the machine crashes, and of those
    /// after which it does.
    public var crashesAtCalls = 0.03

    /// The share of the steps of tasks before which the machine crashes.
    public var crashesAtSteps = 0.0005

    /// The share of the crashes that are power failures, which lose what wasn't synced; the others
    /// end the process alone.
    public var powerFailures = 0.5

    /// The share of the immediate deliveries that another thread makes, after the call that caused
    /// them, once the program is up.
    ///
    /// A program that uses its stores from one thread may rely on its deliveries. Set this to 0 for it.
    public var contendedDeliveries = 0.25

    /// The share of the calls that change files which fail, with `EIO` or `ENOSPC`, and of those that
    /// read them, with `EIO`.
    ///
    /// A program may trap then, so simulate it without them too.
    public var failedFileCalls = 0.0

    /// The share of the calls to files that take from 10 ms to 2 s, in which the machine does
    /// nothing.
    public var slowFileCalls = 0.0

    /// The share of the starts before which a bit of one of the machine's files changes.
    ///
    /// A journal then refuses to open, or has not been read there. So let the start catch that, and set
    /// the files aside or report them.
    public var rottenFiles = 0.0

    /// The share of the steps of tasks before which the wall clock of the machine jumps.
    ///
    /// It is then wrong by one of ``clockErrors``. The node's clock and monotonic ones stay right.
    public var clockJumps = 0.0

    /// The share of the starts, after a ``Machine/upgrade(to:)``, of the version before.
    public var rollbacks = 0.0

    /// The share of the calls of ``Node/buggify(_:)`` that return true, and of the journals whose logs
    /// are small, so that they write many snapshots.
    public var buggified = 0.1

    /// The share of the calls over the network whose request gets lost.
    public var lostRequests = 0.02

    /// The share of the calls over the network whose reply gets lost, after the work is done.
    public var lostReplies = 0.02

    /// The share of the calls over the network that are carried out twice, because the request arrives
    /// once more.
    public var duplicatedRequests = 0.0

    /// The share of the calls over the network at which the machine is cut off from it, for a
    /// ``downtime``: both ways, or one way alone, and perhaps other machines at the same time.
    public var partitions = 0.0

    /// How long each way over the network takes.
    public var latency = Duration.milliseconds(1)...Duration.milliseconds(50)

    /// How long a machine stays down after a crash.
    public var downtime = Duration.milliseconds(10)...Duration.seconds(5)

    /// How wrong a wall clock can be.
    public var clockErrors = Duration.seconds(-60)...Duration.seconds(60)

    /// Whether every second seed has shares of its own, except for those that the body sets.
    ///
    /// Each is then the given one, a third of it, three times as much, or none. Some bugs need many
    /// faults of one kind, and others show only where no other fault hides them. (Alex Groce and
    /// others: Swarm testing, 2012.)
    public var areVaried = true

    /// Creates the default faults: crashes, lost messages and contended deliveries, and no failing or
    /// slow files.
    public init() {}

    /// The faults of a seed.
    func of(_ seed: UInt64) -> Faults {
      var faults = self
      if !areVaried || seed.isMultiple(of: 2) { return faults }
      var random = Xorshift(seed: seed &* 0xD6E8_FEB8)
      let factors: [Double] = [0, 1 / 3, 1, 3]
      for share in [\Faults.powerFailures] + Fault.allCases.map(\.share) {
        let factor = factors.randomElement(using: &random) ?? 1
        faults[keyPath: share] = min(1, faults[keyPath: share] * factor)
      }
      return faults
    }

    /// No faults; messages still take their ``latency``.
    public static var none: Faults {
      var none = Faults()
      for fault in Fault.allCases { none[keyPath: fault.share] = 0 }
      return none
    }
  }

  /// A kind of fault; a power failure is a kind of crash.
  enum Fault: Int, CaseIterable {
    case crashAtFileCall, crashAtCall, crashAtStep, contendedDelivery, failedFileCall, slowFileCall
    case lostRequest, lostReply, partition, duplicatedRequest
    case rottenFile, clockJump, rollback, buggified

    /// The number of the first opportunity for it; the next ones follow.
    var first: Int { rawValue << 32 }

    /// The number of a client's call before the first, as an opportunity.
    var firstOfCalls: Int { first + (1 << 31) }

    /// The number of the first opportunity for the same kind as another one.
    static func first(like number: Int) -> Int { (number >> 31) << 31 }

    var share: WritableKeyPath<Faults, Double> {
      switch self {
      case .crashAtFileCall: \.crashesAtFileCalls
      case .crashAtCall: \.crashesAtCalls
      case .crashAtStep: \.crashesAtSteps
      case .contendedDelivery: \.contendedDeliveries
      case .failedFileCall: \.failedFileCalls
      case .slowFileCall: \.slowFileCalls
      case .rottenFile: \.rottenFiles
      case .clockJump: \.clockJumps
      case .rollback: \.rollbacks
      case .buggified: \.buggified
      case .lostRequest: \.lostRequests
      case .lostReply: \.lostReplies
      case .duplicatedRequest: \.duplicatedRequests
      case .partition: \.partitions
      }
    }
  }
}

/// Thrown to a caller that gets no answer: the machine is down or has stopped, or a message got lost.
///
/// The call may have had its effect all the same.
public struct NoAnswer: Error, Equatable, CustomStringConvertible {
  /// Why there is no answer.
  public let description: String
}
