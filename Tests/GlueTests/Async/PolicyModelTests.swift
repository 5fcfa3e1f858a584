import Glue
import GlueTesting
import Testing

@Suite("For any emissions and cancellations, the policies do what their model does")
struct PolicyModelTests {
  @Test("where turns come at once", arguments: [UInt32(1)...1000])
  func immediate(seeds: ClosedRange<UInt32>) async {
    for seed in seeds { await compare(seed: seed, isImmediate: true) }
  }

  @Test("where turns come later", arguments: [UInt32(1)...1000])
  func posted(seeds: ClosedRange<UInt32>) async {
    for seed in seeds { await compare(seed: seed, isImmediate: false) }
  }

  private func compare(seed: UInt32, isImmediate: Bool) async {
    var random = Xorshift(seed: UInt64(seed))
    let run = PolicyRun(isImmediate: isImmediate)
    for step in 1...30 {
      switch random.next(below: isImmediate ? 8 : 12) {
      case 0...3:
        let works = (0..<random.next(below: 4)).map { random.work("\(step).\($0)") }
        let ids = random.next(below: 4) == 0 ? [random.next(below: 3)] : []
        await run.emit(works, cancelling: ids)
      case 4...7: await run.advance(by: random.next(below: 400_000))
      default: await run.deliver()
      }
    }
    await run.finish()
    if let difference = run.difference() {
      Issue.record("seed \(seed), immediate: \(isImmediate): \(difference)")
    }
  }
}

extension Xorshift {
  /// Works of three ids, whose many times are hardly ever equal.
  fileprivate mutating func work(_ name: String) -> PolicyModel.Work {
    PolicyModel.Work(
      name: name, id: next(below: 3), policy: policy(),
      duration: next(below: 4) == 0 ? nil : 1 + next(below: 600_000))
  }

  private mutating func policy() -> EffectPolicy {
    let duration = Duration.step * (next(below: 8) == 0 ? 0 : next(below: 600_000))
    return switch next(below: 9) {
    case 0: .latest
    case 1: .leading
    case 2: .sequential
    case 3: .debounce(duration)
    case 4: .throttle(duration)
    case 5: .restarting
    case 6: .throttle(duration, latest: false)
    case 7: .concurrent
    default: .delay(duration)
    }
  }
}
