import Glue

/// A `Delivery` that collects bodies, to be run by the test.
final class Pump: Sendable {
  private let bodies = Shared<[@Sendable () -> Void]>([])

  var delivery: Delivery {
    .custom { [bodies] body in bodies.change { $0.append(body) } }
  }

  var waiting: Int { bodies.value.count }

  /// Takes the oldest body.
  func next() -> (@Sendable () -> Void)? {
    bodies.change { $0.isEmpty ? nil : $0.removeFirst() }
  }

  /// Runs bodies until none waits.
  func run() {
    while let body = next() { body() }
  }
}
