internal import Synchronization

/// Which task runs: its address, which no other task shares while it exists.
struct TaskID: Equatable, Sendable {
  private let address: UInt

  static let none = TaskID(address: 0)

  /// The current task; ``none`` outside of any.
  static var current: TaskID {
    withUnsafeCurrentTask { TaskID(address: $0.map { unsafeBitCast($0, to: UInt.self) } ?? 0) }
  }

  private init(address: UInt) { self.address = address }

  /// Sound, as above: both structures hold nothing but the reference to the task.
  init(_ task: Task<Void, Never>) { self.init(address: unsafeBitCast(task, to: UInt.self)) }
}

extension TaskID: AtomicRepresentable {
  static func encodeAtomicRepresentation(_ value: TaskID) -> UInt.AtomicRepresentation {
    UInt.encodeAtomicRepresentation(value.address)
  }

  static func decodeAtomicRepresentation(_ storage: UInt.AtomicRepresentation) -> TaskID {
    TaskID(address: UInt.decodeAtomicRepresentation(storage))
  }
}

/// An effect with an id, as its task knows it: sequential ones of that id wait for it.
///
/// Tasks that it makes inherit the value, but are no part of the effect.
struct EnclosingEffect: Sendable {
  @TaskLocal static var innermost: EnclosingEffect?

  let run: EffectRun
  private let runner: ObjectIdentifier
  private let task = TaskID.current

  init(run: EffectRun, of runner: EffectRunner) {
    self.run = run
    self.runner = ObjectIdentifier(runner)
  }

  /// The effect of a runner whose task is the current one, if any.
  static func current(of runner: EffectRunner?) -> EffectRun? {
    guard let innermost, let runner, innermost.runner == ObjectIdentifier(runner) else {
      return nil
    }
    return innermost.task == .current ? innermost.run : nil
  }
}
