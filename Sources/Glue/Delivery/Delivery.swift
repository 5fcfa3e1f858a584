public import Dispatch

/// Where a store makes its deliveries: the calls to its subscribers and effect handlers.
///
/// With each of them the reduction happens at once, on the dispatching thread (G2), and deliveries
/// are made one at a time and in order (G3).
public struct Delivery: Sendable {
  let settings: DeliverySettings

  @usableFromInline var isImmediate: Bool { post == nil }

  /// Whether each call makes its deliveries; on a simulated machine another thread may.
  @usableFromInline var isWithinCall: Bool { settings.isWithinCall }
  var post: DeliverySettings.Post? { settings.post }
  var isSure: Bool { settings.isSure }
  var place: DeliveryPlace { settings.place }
  var leavesDelivery: (@Sendable () -> Bool)? { settings.leavesDelivery }
  var limit: Int { settings.limit }
  var elsewhere: DeliverySettings.Post { settings.elsewhere }

  /// The same delivery, where a simulated machine runs what queues and loops would.
  @usableFromInline
  func on(_ timer: Timer) -> Delivery {
    guard let owner = timer.owner, let post = owner.makeQueue?(place.isMainQueue) else {
      return self
    }
    return Delivery(
      settings: DeliverySettings(
        post: isImmediate ? nil : post, leavesDelivery: isImmediate ? owner.leavesDelivery : nil,
        isSure: isSure, place: place, limit: limit, elsewhere: post))
  }

  /// Within the call that caused it, on its thread, unless another thread is delivering.
  ///
  /// With one thread, `dispatch` returns after everything it caused was delivered. With several,
  /// the delivering thread makes the other threads' deliveries too: at most 1,000 of them before
  /// another thread takes over (G12). A slow handler makes a dispatching thread wait. With slow
  /// handlers or many producers use ``queue(_:)`` or ``custom(_:)``.
  public static let immediate = Delivery(settings: DeliverySettings(isSure: true))

  /// On the main queue.
  ///
  /// On Linux, the event loops of other libraries don't run it, unless they use `MainQueue`.
  public static let main = Delivery.queue(.main)

  /// On a queue, serial or concurrent, after the call that caused it.
  ///
  /// - Parameter queue: runs the bodies that ``custom(_:)`` describes.
  /// - Returns: the delivery.
  public static func queue(_ queue: DispatchQueue) -> Delivery {
    Delivery(
      settings: DeliverySettings(
        post: { body in queue.async(execute: body) }, isSure: true, place: DeliveryPlace(queue)))
  }

  /// By any loop that can run a closure later: `.custom { eventLoop.execute($0) }`.
  ///
  /// The store can't know whether the loop still runs, so ``Store/shutdown()`` doesn't wait for its
  /// deliveries. To get them, keep the loop running until ``Store/delivered()`` returns.
  ///
  /// The store posts one body at a time, holding no lock. A body makes the deliveries that were
  /// pending when it began; then the store posts the next. Running a body a second time is a no-op.
  ///
  /// `post` may also run the body, or wait for another thread that does. A call that runs bodies
  /// continues until the outbox is empty: G12 does not bind it.
  ///
  /// A body keeps the store alive until it has run. Releasing a body that hasn't run drops the
  /// pending deliveries, which is reported as ``Problem/lostDeliveries``, and the store continues with
  /// later ones. Release it where no lock is held that objects owned by these deliveries may need.
  ///
  /// - Parameter post: arranges for the given closure to run once.
  /// - Returns: the delivery.
  public static func custom(
    _ post: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  ) -> Delivery {
    Delivery(settings: DeliverySettings(post: post, isSure: false, place: .loop))
  }
}

/// The settings of a delivery; a class, so that it takes one word of each store.
final class DeliverySettings: Sendable {
  typealias Post = @Sendable (_ body: @escaping @Sendable () -> Void) -> Void

  /// Posts a body, to run later; nil delivers within the call that caused the delivery.
  let post: Post?

  /// Decides whether a call leaves its deliveries to another thread, on a simulated machine.
  let leavesDelivery: (@Sendable () -> Bool)?

  /// Whether a call makes its deliveries in any case; stored, because each delivery reads it.
  let isWithinCall: Bool

  /// Whether a posted body runs unless its queue is stuck, so that a shutdown waits for it.
  let isSure: Bool

  /// Where a posted body waits; meaningless without `post`.
  let place: DeliveryPlace

  /// How many deliveries caused, or bodies run, by other threads may delay one call.
  let limit: Int

  /// Runs the rest for a call that has reached the limit.
  ///
  /// It uses a thread on which handlers may block, not one of the cooperative pool, where a handler
  /// that waits for a task could deadlock.
  let elsewhere: Post

  init(
    post: Post? = nil, leavesDelivery: (@Sendable () -> Bool)? = nil, isSure: Bool,
    place: DeliveryPlace = .loop, limit: Int = 1000,
    elsewhere: @escaping Post = { DispatchQueue(label: "glue.delivery").async(execute: $0) }
  ) {
    (self.post, self.isSure, self.place) = (post, isSure, place)
    self.leavesDelivery = leavesDelivery
    isWithinCall = post == nil && leavesDelivery == nil
    (self.limit, self.elsewhere) = (limit, elsewhere)
  }
}
