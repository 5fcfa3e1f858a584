#if os(Linux)
  internal import CGlueMainQueue

  /// The main queue, for a program whose main thread runs the event loop of another library.
  ///
  /// `dispatchMain()`, `RunLoop.main.run()` and an asynchronous `main` run the main queue. Under the
  /// loop of GLib, Qt, SDL, libuv or epoll, nothing does. Then ``Delivery/main``, main-actor handlers
  /// and subscribers, ``ObservedStore`` and `Task { @MainActor in … }` wait forever. To run it there,
  /// let the loop watch the descriptor, and call ``run()`` whenever the descriptor is readable.
  /// <doc:MainActor> shows how.
  ///
  /// Both members must be used on the main thread, before it leaves the main queue to other threads. It
  /// leaves it in `dispatchMain()`, and where an asynchronous `main` or a top-level `await` is first
  /// suspended. Afterwards the program stops with a message that says how to mend it.
  public enum MainQueue {
    /// A descriptor that is readable while the main queue has something to run.
    ///
    /// It stays open, and is the same, for as long as the main thread runs the main queue. Watch it,
    /// level-triggered or edge-triggered, in as many places as you like. Don't read it, because that
    /// takes the wake-up from the loop, and don't close it.
    public static var fileDescriptor: Int32 {
      if isMainThread() == 0 { stopForUseOfMainQueueElsewhere() }
      return _dispatch_get_main_queue_port_4CF()
    }

    /// Runs what the main queue holds, without waiting.
    ///
    /// Bodies that they add to the queue are left to the next call, for which the descriptor is
    /// readable again. So the loop takes its turn in between, however much there is to do. If there
    /// is nothing to run, the call is a no-op.
    ///
    /// Within a body of the main queue, or in a main-actor call, it is a no-op too. A nested loop
    /// that such a body runs, as a modal dialog does, therefore runs no main-actor work until it
    /// ends.
    ///
    /// - Complexity: O(*n*) in the number of bodies that are waiting.
    public static func run() {
      // Unless it is read first, the descriptor stays readable, and the loop spins.
      clearEvents(of: fileDescriptor)
      _dispatch_main_queue_callback_4CF(nil)
    }
  }
#endif
