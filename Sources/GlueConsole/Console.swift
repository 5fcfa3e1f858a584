public import Foundation
public import Glue
import Dispatch
import Synchronization

/// The surroundings of a program's store: signals, lines in and out, and an orderly end.
///
///     let console = Console()
///     store.on(NoteEffect.self) { effect, _ in console.write(effect.line) }
///     console.onSignal(SIGHUP) { store.dispatch(NoteIntent.save) }
///     console.readLines { store.dispatch(NoteIntent.typed($0)) }
///     let end = await console.run(store, last: NoteIntent.save)
///     for line in end.left { console.writeError("not ended: \(line)") }
///
/// Create one before all else, and keep it: a signal that one console has left to the system can't
/// be taken by another. Any thread may use all of it.
public final class Console: Sendable {
  /// How a program has ended.
  public struct End: Sendable {
    /// The signal that ended it; nil if the input, the output, or ``end()`` did.
    public let signal: Int32?

    /// A line for each leftover.
    ///
    /// These describe ``unfinished``, last intents that were not dispatched, and a failure of the
    /// input. Output that was not written is included, unless it goes to a pipe without a reader.
    public let left: [String]

    /// The work that `shutdown(finishing:within:)` returned, for a program that acts on it.
    public let unfinished: [UnfinishedWork]

    /// Whether ``Console/writeError(_:)`` was called before the end.
    public let hadErrors: Bool

    /// Ends the process as the signal does, so that its parent sees that.
    ///
    /// Without a signal the status is 0, or 1 if there were errors or something is left.
    public func exit() -> Never {
      if let signal { takeDefaultAction(of: signal) }
      Foundation.exit(hadErrors || !left.isEmpty ? EXIT_FAILURE : EXIT_SUCCESS)
    }
  }

  private let endings: AsyncStream<Int32?>
  private let ending: AsyncStream<Int32?>.Continuation
  private let endSignals: [Int32]
  private let endSources = Mutex<[SignalSource]>([])
  private let otherSources = Mutex<[SignalSource]>([])
  private let hasEnded = Atomic(false)
  private let hadErrors = Atomic(false)
  private let inputFailure = Atomic<Int32>(0)
  private let continuations = Atomic(0)
  private let terminal = KeyTerminal()
  private let output: LineOutput
  private let errors = LineOutput(STDERR_FILENO, "standard error") { _ in }

  /// Lets signals end the program in good order, from when this returns.
  ///
  /// The first signal does so, by ``run(_:last:finishing:within:stopping:)``. The second one does what
  /// it does by default, which is to end the program at once, even if the first came before that call.
  ///
  /// Output to a pipe without a reader ends the program in order too, because `SIGPIPE` then does
  /// nothing. Child processes start with its default action.
  ///
  /// - Parameter signals: their numbers.
  public init(endedBy signals: [Int32] = [SIGINT, SIGTERM]) {
    let (endings, ending) = AsyncStream.makeStream(of: Int32?.self)
    (self.endings, self.ending, endSignals) = (endings, ending, signals)
    let isTerminal = isatty(STDOUT_FILENO) == 1
    output = LineOutput(STDOUT_FILENO, "standard output") { error in
      ending.yield(isTerminal && error == EIO ? SIGHUP : nil)  // Nothing else ends a terminal.
    }
    // A handler, because a child process would inherit that the signal is ignored.
    signal(SIGPIPE) { _ in }
    occupyClosedDescriptors()
    for number in signals {
      let source = SignalSource(number) { [weak self] in self?.end(by: number) }
      endSources.withLock { $0.append(source) }
    }
    if hasEnded.load(ordering: .acquiring) { cancelEndSources() }
  }

  /// Calls a body at each signal of a kind, instead of the signal's default action.
  ///
  /// The calls come from a queue, where they may block, one after the other, from when this returns
  /// until the console is released. Several signals that come at once are one call.
  ///
  /// - Parameters:
  ///   - number: such as `SIGHUP`. One of those that end the program stops it with a message that
  ///     names the cure: leave it out of ``init(endedBy:)``.
  ///   - body: dispatches an intent, for example.
  public func onSignal(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
    if endSignals.contains(number) { stopForSignalThatEnds(number, endSignals) }
    let source = SignalSource(number, body)
    otherSources.withLock { $0.append(source) }
  }

  /// Calls a body with each line of standard input, on a thread of its own; the end of the input
  /// ends the program.
  ///
  /// The next line is read when the body has returned, and none once it has called ``end()``.
  ///
  /// - Parameter body: gets a line without its end; invalid UTF-8 is replaced.
  public func readLines(_ body: @escaping @Sendable (String) -> Void) {
    readLines { line, _ in body(line) }
  }

  /// Calls a body with each line of standard input and its number, for messages.
  ///
  ///     console.readLines { line, number in
  ///       if line.isEmpty { console.writeError("line \(number): nothing to note") }
  ///     }
  ///
  /// - Parameter body: gets a line without its end, and its number; the first one is 1.
  public func readLines(_ body: @escaping @Sendable (_ line: String, _ number: Int) -> Void) {
    Thread.detachNewThread { [self] in
      var number = 0
      while let line = readLine(), !hasEnded.load(ordering: .relaxed) {
        number += 1
        body(line, number)
      }
      if read(STDIN_FILENO, nil, 0) < 0 { inputFailure.store(errno, ordering: .relaxed) }
      end()
    }
  }

  /// Whether standard input and output are a terminal that can do more than print lines.
  ///
  /// Then keys can be read one at a time, and a status line is shown.
  public static var isInteractive: Bool {
    isatty(STDIN_FILENO) == 1 && StatusLine(STDOUT_FILENO).isPossible
  }

  /// Calls a body with each key pressed, on a thread of its own.
  ///
  /// The terminal sends keys at once and doesn't show them. The console restores it when the
  /// program ends, by any signal or call of this console, and while Ctrl-Z has stopped it. After
  /// SIGKILL, which no program can handle, the next program that reads keys restores it. Ctrl-C is a
  /// key here, and sends no signal.
  ///
  /// - Parameter body: gets a key; typed or pasted text comes one character at a time. The
  ///   end of the terminal ends the program as `SIGHUP` does.
  public func readKeys(_ body: @escaping @Sendable (Key) -> Void) {
    onSignal(SIGTSTP) { [weak self] in
      self?.output.leaveStatus(forGood: false)
      self?.output.awaitIdleness()
      self?.terminal.suspend()
    }
    onSignal(SIGWINCH) { [weak self] in self?.output.showStatus { $0.isStale = $0.text != nil } }
    onSignal(SIGCONT) { [weak self] in
      guard let latest = self?.continuations.add(1, ordering: .relaxed).newValue else { return }
      // A pending signal that ends the program comes first. Of several continuations the last one
      // counts: entering for an earlier one could stop the program before it has seen later
      // signals.
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { [weak self] in
        guard let self, continuations.load(ordering: .relaxed) == latest else { return }
        terminal.enter()
        output.showStatus { $0.isStale = $0.text != nil }
      }
    }
    terminal.enter()
    Thread.detachNewThread { [self] in
      terminal.readKeys { if !hasEnded.load(ordering: .relaxed) { body($0) } }
      end(by: SIGHUP)
    }
  }

  /// Shows a last line that is redrawn in place, such as progress; nil hides it.
  ///
  ///     console.status("3 of 7 files")
  ///
  /// ``write(_:terminator:)`` erases it and redraws it around its lines, and it is cut at the
  /// terminal's width. If lines come faster than the terminal takes them, only the latest is drawn.
  /// It stays when the program ends. If standard output is no terminal, nothing is written.
  ///
  /// - Parameter line: plain text without line ends or control characters.
  public func status(_ line: String?) { output.show(line) }

  /// Writes a whole line to standard output, at once if the reader takes it.
  ///
  /// Up to 1 MiB of lines wait for a slow reader without blocking the caller. Beyond that the call
  /// waits, and with it the delivery that makes the call, until the program ends. Once the output
  /// has refused a line, nothing more is written, and the program ends. After the end, a line that
  /// is not taken within a second is dropped.
  ///
  /// - Parameters:
  ///   - line: the text to write.
  ///   - terminator: follows the line. With "" it need not be a line; then show no status line,
  ///     unless the text moves no cursor, such as a bell.
  public func write(_ line: String, terminator: String = "\n") { output.write(line + terminator) }

  /// Writes a line to standard error, in the same way.
  public func writeError(_ line: String) {
    hadErrors.store(true, ordering: .relaxed)
    errors.write(line + "\n", above: output)
  }

  /// Ends the program as a signal does.
  public func end() { end(by: nil) }

  private func end(by signal: Int32?) {
    hasEnded.store(true, ordering: .releasing)
    terminal.leave(forGood: true)
    cancelEndSources()
    ending.yield(signal)
  }

  private func cancelEndSources() {
    for source in endSources.withLock({ $0 }) { source.cancel() }
  }

  /// Waits for the end, and then ends a store's effects within a time.
  ///
  /// It notifies a service manager that the program is ready, and later that it begins to end, by
  /// ``notifyManager(_:)``. So call it when everything has started.
  ///
  /// First it dispatches the last intents, and waits for everything that they cause, as
  /// ``/Glue/Store/perform(_:)`` does: their effects, the intents that these dispatch, and so on.
  /// So an end may be a chain, such as to stop some services, await that, and stop those that they
  /// used. Then ``/Glue/Store/shutdown(finishing:within:)`` lets other effects finish, without
  /// effects of the intents that they dispatch, and cancels what is left.
  ///
  /// With `finishing: .zero` a last intent may not be dispatched, and is named in ``End/left``. Under a
  /// `.custom` loop that has ended, a last intent takes all of `finishing`.
  ///
  /// Last, it waits for the output; after a signal, for as long as effects may continue. A handler
  /// that doesn't return delays each of these waits by at most its time. Code that follows on the
  /// main actor waits for a handler that blocks that. If the calling task is canceled, that is the
  /// end too, without waiting.
  ///
  /// - Parameters:
  ///   - store: the store whose effects end.
  ///   - last: intents that must not be lost, such as a save.
  ///   - finishing: how long effects may continue, including those of the last intents, on the
  ///     store's clock.
  ///   - limit: how long the effects' end may take in all, on the store's clock.
  ///   - stop: ends what dispatches to the store, such as a server, before all else. The times above
  ///     begin when it has returned, or when it has taken as long as `finishing`. Then it is canceled
  ///     and left behind, which ``End/left`` says.
  /// - Returns: why the program ended, and what it left.
  @discardableResult @concurrent
  public func run<State>(
    _ store: Store<State>, last: any Intent..., finishing: Duration = .seconds(2),
    within limit: Duration = .seconds(5), stopping stop: (@Sendable () async -> Void)? = nil
  ) async -> End {
    notifyManager("READY=1")
    var number: Int32?
    for await ending in endings {
      number = ending
      break
    }
    end()  // A canceled task may be the only cause.
    notifyManager("STOPPING=1")
    for stream in [output, errors] { stream.beginToEnd() }
    let unstopped: [String] =
      if let stop { await self.stop(stop, in: store, within: finishing) } else { [] }
    let start = store.time
    let undispatched = await perform(last, in: store, until: start + min(finishing, limit))
    let passed = store.time - start
    let unfinished = await store.shutdown(
      finishing: max(.zero, finishing - passed), within: max(.zero, limit - passed))
    let wait = Task.isCancelled ? .zero : number == nil ? nil : finishing
    let unwritten = await runOnOwnThread { [output, errors] in
      output.end(within: wait) + errors.end(within: wait)
    }
    let code = inputFailure.load(ordering: .relaxed)
    let unread = code == 0 ? [] : ["standard input: \(String(cString: strerror(code)))"]
    return End(
      signal: number,
      left: unstopped + undispatched + unfinished.map(\.description) + unread + unwritten,
      unfinished: unfinished, hadErrors: hadErrors.load(ordering: .relaxed))
  }

  /// Waits for a body, and leaves it behind after a time.
  ///
  /// - Returns: a line if it has been left behind.
  private func stop<State>(
    _ body: @escaping @Sendable () async -> Void, in store: Store<State>, within time: Duration
  ) async -> [String] {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let stopping = Task {
      await body()
      end.yield()
    }
    let alarm = store.alarm(at: store.time + time) { end.finish() }
    let hasReturned = await ends.first { true } != nil
    alarm.cancel()
    stopping.cancel()
    return hasReturned ? [] : ["what stopping: does has not returned"]
  }

  /// Dispatches intents, and waits for everything that they cause.
  ///
  /// It dispatches on a thread of its own, because the dispatching thread may have to deliver, and a
  /// handler can block that.
  ///
  /// - Returns: descriptions of the intents that it hadn't begun to dispatch in time.
  private func perform<State>(
    _ intents: [any Intent], in store: Store<State>, until deadline: Duration
  ) async -> [String] {
    if intents.isEmpty { return [] }
    let (performing, dispatched) = AsyncStream.makeStream(of: Completion.self)
    let begun = Begun()
    Thread.detachNewThread {
      for intent in intents where begun.beginNext() {
        dispatched.yield(store.beginToPerform(intent))
      }
      dispatched.finish()
    }
    let waiting = Task { for await completion in performing { await completion.wait() } }
    let alarm = store.alarm(at: deadline) { waiting.cancel() }
    await withTaskCancellationHandler {
      await waiting.value
    } onCancel: {
      waiting.cancel()
    }
    alarm.cancel()
    return intents.dropFirst(begun.stop()).map { "\($0) was not dispatched" }
  }
}

/// How many intents the thread has begun to dispatch, until it is stopped.
private final class Begun: Sendable {
  private let state = Mutex((count: 0, isStopped: false))

  func beginNext() -> Bool {
    state.withLock { state in
      if !state.isStopped { state.count += 1 }
      return !state.isStopped
    }
  }

  func stop() -> Int {
    state.withLock { state in
      state.isStopped = true
      return state.count
    }
  }
}

/// Keeps other files from taking the place of a closed standard one: its use fails instead.
private func occupyClosedDescriptors() {
  for (number, mode) in [
    (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
  ]
  where fcntl(number, F_GETFD) < 0 { _ = open("/dev/null", mode) }
}
