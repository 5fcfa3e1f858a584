import Glue

/// A `Delivery` that treats each body as the seed decides: it runs it inline, once or twice, keeps
/// it for the threads to run or drop, or drops it.
final class InterleavedBodies: Sendable {
  private struct Body {
    let number: Int
    let run: @Sendable () -> Void

    /// Whether the store holds it no more, so that removing it drops it.
    var isHandedOver = false
  }

  private let interleaver: Interleaver
  private let transcript: InterleavedTranscript
  private let kept = Shared<[Body]>([])
  private let lastNumber = Shared(0)

  init(_ interleaver: Interleaver, _ transcript: InterleavedTranscript) {
    self.interleaver = interleaver
    self.transcript = transcript
  }

  var delivery: Delivery { .custom { [self] in post($0) } }

  private func post(_ run: @escaping @Sendable () -> Void) {
    let body = Body(number: newNumber(), run: run)
    transcript.write(.posted(body.number))
    interleaver.step()
    switch interleaver.choose(below: 8) {
    case 0: transcript.write(.dropsBody(body.number))
    case 1...3: keep(body)
    case 4: for _ in 0..<2 { self.run(body, isInline: true) }
    default: self.run(body, isInline: true)
    }
  }

  private func keep(_ body: Body) {
    kept.change { $0.append(body) }
    interleaver.step()
    kept.change { kept in
      for index in kept.indices where kept[index].number == body.number {
        kept[index].isHandedOver = true
      }
    }
  }

  private func run(_ body: Body, isInline: Bool) {
    let run = newNumber()
    transcript.write(.runsBody(body.number, run: run, isInline: isInline))
    body.run()
    transcript.write(.ranBody(body.number, run: run))
    interleaver.step()
  }

  private func newNumber() -> Int {
    lastNumber.change { number in
      number += 1
      return number
    }
  }

  // MARK: The kept ones

  /// Runs one, which another thread may be running; returns false if there is none.
  @discardableResult
  func runOne() -> Bool {
    guard let body = interleaver.anyOf(kept.value) else { return false }
    run(body, isInline: false)
    remove(body.number)
    return true
  }

  func runOneTwice() {
    guard let body = interleaver.anyOf(kept.value) else { return }
    for _ in 0..<2 { run(body, isInline: false) }
    remove(body.number)
  }

  func dropOne() {
    let droppable = kept.value.filter(\.isHandedOver).map(\.number)
    guard let number = interleaver.anyOf(droppable) else { return }
    transcript.write(.dropsBody(number))
    remove(number)
  }

  private func remove(_ number: Int) {
    _ = kept.change { kept in
      kept.firstIndex { $0.number == number }.map { kept.remove(at: $0) }
    }
  }
}
