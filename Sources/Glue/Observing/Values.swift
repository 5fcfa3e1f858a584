/// Which values a reader gets that is slower than the commits.
public enum Buffering: Sendable, Hashable {
  /// Only the newest one: values that were replaced before the reader asked are skipped.
  ///
  /// Memory stays bounded, however slow the reader is.
  case newest

  /// Every one, in order.
  ///
  /// Values that the reader has not asked for yet are kept, without bound.
  case every
}

/// The values of a part of a store's state, over time: what `values(of:buffering:)` returns.
///
/// Each iterator subscribes when it is made, and begins with the value of that instant. So one
/// sequence serves any number of loops, in any tasks. Values come in the order of the commits.
///
/// Neither the sequence nor an iterator keeps the store alive (unless the selector does). When the
/// store is released, the loop ends after the remaining values, also if it is waiting. Canceling
/// the task ends the loop and its subscription, and drops the remaining values. So does leaving the
/// loop, which releases the iterator. As with any subscription, neither may happen in a reducer
/// (G7).
public struct StateValues<Value: Sendable>: AsyncSequence, Sendable {
  private let buffering: Buffering
  private let subscribe: @Sendable (@escaping @Sendable (Value) -> Void) -> Subscription?

  /// Creates a sequence from a closure that subscribes a handler, or releases it if the store is
  /// gone.
  @usableFromInline
  init(
    buffering: Buffering,
    subscribe: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Subscription?
  ) {
    self.buffering = buffering
    self.subscribe = subscribe
  }

  /// Subscribes, and begins with the current value.
  ///
  /// - Returns: the iterator, whose release ends the subscription.
  /// - Complexity: O(1), and for each commit what a subscriber costs.
  public func makeAsyncIterator() -> Iterator {
    let (values, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: buffering == .newest ? .bufferingNewest(1) : .unbounded)
    let end = StreamEnd(of: continuation)
    let subscription = subscribe { end.continuation.yield($0) }
    continuation.onTermination = { _ in subscription?.cancel() }
    return Iterator(values: values.makeAsyncIterator(), subscription: subscription)
  }

  /// Reads the values one by one.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var values: AsyncStream<Value>.Iterator
    fileprivate let subscription: Subscription?

    /// Waits for the next value.
    ///
    /// - Parameter actor: the caller's isolation.
    /// - Returns: the value, or nil when the store is gone or the task was canceled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Value? {
      if !Task.isCancelled { return await values.next(isolation: actor) }
      subscription?.cancel()
      return nil
    }
  }
}

/// Finishes a stream when released.
///
/// The subscriber holds it, and is released when its subscription ends or its store is released.
private final class StreamEnd<Value: Sendable>: Sendable {
  let continuation: AsyncStream<Value>.Continuation

  init(of continuation: AsyncStream<Value>.Continuation) {
    self.continuation = continuation
  }

  deinit {
    continuation.finish()
  }
}

extension Store {
  /// The selected value now and after each commit that changes it, for `for await`.
  ///
  ///     for await count in store.values(of: \.count) {
  ///       screen.show(count)
  ///     }
  ///
  /// `\.self` selects the whole state. If that holds large collections, select what you need: states
  /// held here make the next change copy them (G10).
  ///
  /// A slow reader skips all values but the newest, unless it asks for ``Buffering/every`` one. The
  /// rules of `subscribe(selector:)` apply to the selector, its value's `==` and the values held.
  /// The reader runs where its task does, not where the store delivers.
  ///
  /// - Parameters:
  ///   - selector: the part or property to watch; a key path will do.
  ///   - buffering: which values a slow reader gets.
  /// - Returns: the sequence. It does not keep the store alive, and ends when the store is
  ///   released.
  /// - Complexity: O(1); only iterators cost the store anything.
  @_alwaysEmitIntoClient
  public func values<Value: Sendable & Equatable>(
    of selector: @escaping @Sendable (State) -> Value, buffering: Buffering = .newest
  ) -> StateValues<Value> {
    StateValues(buffering: buffering) { [weak self] in
      self?.subscribe(selector: selector, handler: $0)
    }
  }

  /// The selected value now and after each commit, for `for await`.
  ///
  /// The value is not `Equatable`, so commits that did not change it yield it too.
  ///
  /// - Parameters:
  ///   - selector: the part or property to watch; a key path will do.
  ///   - buffering: which values a slow reader gets.
  /// - Returns: the sequence. It does not keep the store alive, and ends when the store is
  ///   released.
  /// - Complexity: O(1); only iterators cost the store anything.
  @_alwaysEmitIntoClient
  public func values<Value: Sendable>(
    of selector: @escaping @Sendable (State) -> Value, buffering: Buffering = .newest
  ) -> StateValues<Value> {
    StateValues(buffering: buffering) { [weak self] in
      self?.subscribe(selector: selector, handler: $0)
    }
  }
}
