extension World {
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

    /// The share of the calls that change files which fail, with `EIO` or `ENOSPC`.
    public var failedFileCalls = 0.0

    /// The share of the calls to files that take from 10 ms to 2 s, in which the machine does
    /// nothing.
    public var slowFileCalls = 0.0

    /// The share of the calls over the network whose request gets lost.
    public var lostRequests = 0.02

    /// The share of the calls over the network whose reply gets lost, after the work is done.
    public var lostReplies = 0.02

    /// The share of the calls over the network at which the caller's machine is cut off from it, for
    /// a ``downtime``.
    public var partitions = 0.0

    /// How long each way over the network takes.
    public var latency = Duration.milliseconds(1)...Duration.milliseconds(50)

    /// How long a machine stays down after a crash.
    public var downtime = Duration.milliseconds(10)...Duration.seconds(5)

    /// Creates the default faults: crashes, lost messages and contended deliveries, and no failing or
    /// slow files.
    public init() {}

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
    case lostRequest, lostReply, partition

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
      case .lostRequest: \.lostRequests
      case .lostReply: \.lostReplies
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
