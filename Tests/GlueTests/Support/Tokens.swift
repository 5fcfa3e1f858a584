/// Counts objects: how many were made, and whether any is left.
final class Tokens: Sendable {
  private struct Numbers {
    var made = 0
    var alive = 0
    var waiting: [Waiting] = []
  }

  private struct Waiting {
    let isOver: @Sendable (Numbers) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private let numbers = Shared(Numbers())

  var made: Int { numbers.value.made }

  /// An object that counts as long as it is held.
  func token() -> OnDeinit {
    change {
      $0.made += 1
      $0.alive += 1
    }
    return OnDeinit { self.change { $0.alive -= 1 } }
  }

  /// Returns when none is left.
  func none() async {
    await wait { $0.alive == 0 }
  }

  /// Returns when so many have been made.
  func made(atLeast count: Int) async {
    await wait { $0.made >= count }
  }

  private func wait(until isOver: @escaping @Sendable (Numbers) -> Bool) async {
    await withCheckedContinuation { continuation in
      change { $0.waiting.append(Waiting(isOver: isOver, continuation: continuation)) }
    }
  }

  private func change(_ body: (inout Numbers) -> Void) {
    let over = numbers.change { numbers in
      body(&numbers)
      let (waiting, now) = (numbers.waiting, numbers)
      numbers.waiting = waiting.filter { !$0.isOver(now) }
      return waiting.filter { $0.isOver(now) }.map(\.continuation)
    }
    for continuation in over { continuation.resume() }
  }
}
