public import Dispatch

/// Where a store makes its deliveries: the calls to its subscribers and effect handlers.
///
/// Wherever that is, the reduction itself happens at once, on the thread that dispatches (G2), and
/// deliveries are made one at a time and in order (G3).
public struct Delivery: Sendable {
  let settings: DeliverySettings

  @usableFromInline var isImmediate: Bool { post == nil }
  var post: DeliverySettings.Post? { settings.post }
  var isSure: Bool { settings.isSure }
  var limit: Int { settings.limit }
  var elsewhere: DeliverySettings.Post { settings.elsewhere }

  /// Within the call that caused it, on its thread, unless somebody is delivering already.
  ///
  /// With one thread, all that a `dispatch` caused has been delivered when it returns. With
  /// several, the thread that is delivering makes the deliveries of the others too, at most 1,000
  /// of them before another one takes over (G12). A handler that takes its time makes a dispatching
  /// thread wait: with slow handlers or many producers use ``queue(_:)`` or ``custom(_:)``.
  public static let immediate = Delivery(settings: DeliverySettings(isSure: true))

  /// On the main queue.
  public static let main = Delivery.queue(.main)

  /// On a queue, serial or concurrent, after the call that caused it.
  ///
  /// - Parameter queue: runs the bodies that ``custom(_:)`` describes.
  /// - Returns: the delivery.
  public static func queue(_ queue: DispatchQueue) -> Delivery {
    Delivery(
      settings: DeliverySettings(post: { body in queue.async(execute: body) }, isSure: true))
  }

  /// By any loop that can run a closure later: `.custom { eventLoop.execute($0) }`.
  ///
  /// Whether the loop still runs, the store cannot know, so ``Store/shutdown()`` does not wait for
  /// what such a loop has to deliver: one that wants it runs until ``Store/delivered()`` returns.
  ///
  /// The store hands over one body at a time, holding no lock. A body makes the deliveries that
  /// were queued when it began; then the next is handed over. Running one a second time does
  /// nothing.
  ///
  /// `post` may also run the body itself, or wait for another thread that does. A call that runs
  /// bodies goes on until nothing is queued: G12 does not bind it.
  ///
  /// A body keeps the store alive until it has run. One that is released without having run loses
  /// the deliveries that were queued, and the store goes on with the next; release it where no lock
  /// is held that what these deliveries own may need.
  ///
  /// - Parameter post: arranges for the closure that it is given to be run once.
  /// - Returns: the delivery.
  public static func custom(
    _ post: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  ) -> Delivery {
    Delivery(settings: DeliverySettings(post: post, isSure: false))
  }
}

/// What a delivery is; a class, so that it takes one word of each store.
final class DeliverySettings: Sendable {
  typealias Post = @Sendable (_ body: @escaping @Sendable () -> Void) -> Void

  /// Hands a body over to be run later; nil delivers within the call that caused the delivery.
  let post: Post?

  /// Whether the library knows that what is posted will be run, so that an end may wait for it.
  let isSure: Bool

  /// How many deliveries that others caused, or bodies that others run, one call may be held up by.
  let limit: Int

  /// Goes on for a call that has been held up that long: on a thread on which handlers may block,
  /// as on any, so not on one of the few that run tasks, whom a handler could wait for for ever.
  let elsewhere: Post

  init(
    post: Post? = nil, isSure: Bool, limit: Int = 1000,
    elsewhere: @escaping Post = { DispatchQueue(label: "glue.delivery").async(execute: $0) }
  ) {
    (self.post, self.isSure, self.limit, self.elsewhere) = (post, isSure, limit, elsewhere)
  }
}
