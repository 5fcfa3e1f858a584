// All uses of the C library.

internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Darwin
#endif

/// A number that no two running threads share; 0 is no thread's.
@usableFromInline
package typealias ThreadID = UInt

/// The calling thread's number.
///
/// Ask for it at every use, because a task may continue on another thread after a suspension. It
/// doesn't use `pthread_self`, because glibc declares that `const`: inlined into an `async`
/// function, its result was kept across a suspension. A lock taken with the number of the thread
/// before would name the wrong holder, so G7's check would stop a correct program, or let a
/// deadlock pass. To an optimizer, a function that reads thread-specific data may return another
/// value at every call. It isn't inlined either, as a second safeguard.
@usableFromInline @inline(never)
package func currentThread() -> ThreadID {
  let key = contextKey
  return ThreadID(bitPattern: pthread_getspecific(key) ?? makeContext(at: key))
}

/// The key of a thread's context.
///
/// To this library, a thread with another context is another one.
///
/// Android's keys are negative, so the conversions truncate.
var contextKey: pthread_key_t {
  var number = keyNumber.load(ordering: .acquiring)
  if number == 0 { number = makeKeyNumber() }
  return pthread_key_t(truncatingIfNeeded: number &- 1)
}

/// The key plus 1; 0 until it is created.
///
/// Atomic, because a lazily initialized global would call a function that checks whether it is
/// initialized, at every use, so in each dispatch.
private let keyNumber = Atomic<UInt>(0)

/// Creates the key, unless another thread publishes one first.
private func makeKeyNumber() -> UInt {
  var key = pthread_key_t()
  let error = pthread_key_create(&key, releaseContext)
  let new = error == 0 ? UInt(truncatingIfNeeded: key) &+ 1 : 0
  let (isFirst, first) = keyNumber.compareExchange(
    expected: 0, desired: new, ordering: .acquiringAndReleasing)
  if isFirst && error != 0 { stopForLackOfThreadKeys(error) }
  if !isFirst && error == 0 { pthread_key_delete(key) }
  return isFirst ? new : first
}

private func makeContext(at key: pthread_key_t) -> UnsafeMutableRawPointer {
  let context = Unmanaged.passRetained(ThreadContext()).toOpaque()
  let error = pthread_setspecific(key, context)
  if error != 0 { stopForLackOfThreadKeys(error) }
  return context
}

#if canImport(Darwin)
  private func releaseContext(_ context: UnsafeMutableRawPointer) {
    Unmanaged<ThreadContext>.fromOpaque(context).release()
  }
#else
  private func releaseContext(_ context: UnsafeMutableRawPointer?) {
    if let context { Unmanaged<ThreadContext>.fromOpaque(context).release() }
  }
#endif

/// Whether that many bytes are the same.
package func areSameBytes(_ a: UnsafeRawPointer?, _ b: UnsafeRawPointer?, count: Int) -> Bool {
  guard let a, let b else { return a == b }
  return memcmp(a, b, count) == 0
}

/// Held while lines are written, so that those of several threads don't mix.
private let turn = Locked(())

/// Writes lines to standard error, such as a log's or, in debug builds, problems.
///
/// Lines that can't be written are lost, because there is no other place to report it.
package func writeToStandardError(_ lines: String) {
  let bytes = Array((lines + "\n").utf8)
  turn.withLock { _ in
    withoutBrokenPipeSignal { bytes.withUnsafeBytes { writeToStandardError($0) } }
  }
}

/// Writes bytes to standard error, all that can be written.
private func writeToStandardError(_ bytes: UnsafeRawBufferPointer) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = write(STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if count < 0 && errno == EINTR { continue }
    if count <= 0 { return }
    rest = rest.dropFirst(count)
  }
}

/// Runs a body that writes: a pipe without a reader then ends only the writing, instead of the
/// program by a signal.
///
/// The signal is blocked on the calling thread meanwhile, and consumed if the body has caused it.
/// How the program and its other threads handle it doesn't change.
private func withoutBrokenPipeSignal(_ body: () -> Void) {
  var pipe = sigset_t()
  var mask = sigset_t()
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  let wasPending = isBrokenPipePending()
  pthread_sigmask(SIG_BLOCK, &pipe, &mask)
  body()
  var signal: Int32 = 0
  if !wasPending, isBrokenPipePending() { sigwait(&pipe, &signal) }
  pthread_sigmask(SIG_SETMASK, &mask, nil)
}

private func isBrokenPipePending() -> Bool {
  var pending = sigset_t()
  sigemptyset(&pending)
  sigpending(&pending)
  return sigismember(&pending, SIGPIPE) == 1
}

#if !canImport(Darwin)
  /// A semaphore, which threads sleep on until there is a token to take.
  struct Semaphore {
    private let pointer: UnsafeMutablePointer<sem_t>

    /// Makes a semaphore without tokens.
    init() {
      pointer = .allocate(capacity: 1)
      sem_init(pointer, 0, 0)
    }

    /// The semaphore at an address; nil for 0.
    init?(at address: UInt) {
      guard let pointer = UnsafeMutablePointer<sem_t>(bitPattern: address) else { return nil }
      self.pointer = pointer
    }

    var address: UInt { UInt(bitPattern: pointer) }

    /// Frees the semaphore, which no thread uses any more.
    func free() {
      sem_destroy(pointer)
      pointer.deallocate()
    }

    var hasToken: Bool {
      var count: Int32 = 0
      sem_getvalue(pointer, &count)
      return count > 0
    }

    func addToken() { sem_post(pointer) }

    /// Takes a token, and sleeps until there is one; a signal ends the sleep early.
    func takeToken() { sem_wait(pointer) }
  }
#endif

#if os(Linux)
  /// Reads an eventfd's count, and so makes it 0.
  func clearEvents(of descriptor: Int32) {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
  }
#endif
