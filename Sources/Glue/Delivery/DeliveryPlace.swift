internal import Dispatch

/// Where deliveries wait to begin.
enum DeliveryPlace: Sendable {
  case mainQueue
  case mainActor
  case queue(label: String)
  case loop

  /// The main queue is known by its label, because on Linux it is another object at each use.
  init(_ queue: DispatchQueue) {
    self = queue.label == DispatchQueue.main.label ? .mainQueue : .queue(label: queue.label)
  }

  var isMainQueue: Bool { if case .mainQueue = self { true } else { false } }

  /// The problem that nothing begins there.
  var problem: Problem { .stalledDelivery(place: name, cure: cure) }

  private var name: String {
    switch self {
    case .mainQueue: "the main queue"
    case .mainActor: "the main actor"
    case .queue(let label): "the queue \"\(label)\""
    case .loop: "the loop of Delivery.custom"
    }
  }

  private var cure: String {
    switch self {
    case .mainQueue: "if nothing runs it, \(DeliveryPlace.running)"
    case .mainActor: "if nothing runs the main queue, \(DeliveryPlace.running)"
    case .queue: "resume it if it is suspended, and let no work block it"
    case .loop: "let the loop run each body that it gets, and let no work block it"
    }
  }

  private static var running: String {
    let usual =
      "make main async, or end it with dispatchMain() or RunLoop.main.run(), and let no work block it"
    #if os(Linux)
      return usual + "; under another event loop, such as GLib's, let that watch "
        + "MainQueue.fileDescriptor and call MainQueue.run()"
    #else
      return usual
    #endif
  }
}
