import Foundation
import Glue
import GlueConsole
import GlueTesting
import Synchronization
import ProcessSupport
import Testing

private enum NoteIntent: Intent { case note(String), work(String) }
private struct Work: Effect { var text: String }

private func makeStore(clock: any Clock<Duration> = ContinuousClock()) -> Store<[String]> {
  Store(
    state: [],
    reducer: { (notes, intent: NoteIntent) in
      switch intent {
      case .note(let text):
        notes.append(text)
        return []
      case .work(let text):
        return [Work(text: text)]
      }
    }, clock: clock)
}

private func send(_ number: Int32) { kill(getpid(), number) }

/// Signals are for a whole process, so each test has one of its own.
@Suite("A console")
struct ConsoleTests {
  @Test("a signal ends the program, with the last intents' effects")
  func signal() async {
    await #expect(processExitsWith: .success) {
      let store = makeStore()
      store.on(Work.self) { work, dispatch async in dispatch(NoteIntent.note(work.text)) }
      let console = Console()
      send(SIGTERM)
      let end = await console.run(
        store, last: NoteIntent.work("a"), NoteIntent.work("b"), finishing: .seconds(600),
        within: .seconds(600))
      precondition(end.signal == SIGTERM && end.left == [], "\(end)")
      precondition(store.state.sorted() == ["a", "b"], "\(store.state)")
    }
  }

  @Test("the end waits for a chain of effects that a last intent causes")
  func chain() async {
    await #expect(processExitsWith: .success) {
      let store = makeStore()
      store.on(Work.self) { work, dispatch async in
        await Task.detached {}.value
        dispatch(NoteIntent.note("ended \(work.text)"))
        if work.text != "a" { dispatch(NoteIntent.work("a")) }
      }
      let console = Console()
      console.end()
      let end = await console.run(
        store, last: NoteIntent.work("c"), NoteIntent.work("b"), finishing: .seconds(600),
        within: .seconds(600))
      precondition(end.left == [], "\(end)")
      precondition(
        store.state.sorted() == ["ended a", "ended a", "ended b", "ended c"], "\(store.state)")
    }
  }

  @Test("a chain without an end is cut off at its time, on the store's clock")
  func endlessChain() async {
    await #expect(processExitsWith: .success) {
      let store = makeStore(clock: ImmediateClock())
      store.on(Work.self) { _, dispatch async in
        await Task.yield()
        dispatch(NoteIntent.work("again"))
      }
      let console = Console()
      console.end()
      await console.run(
        store, last: NoteIntent.work("a"), finishing: .seconds(600), within: .seconds(600))
    }
  }

  @Test("a second signal ends it at once")
  func secondSignal() async {
    await #expect(processExitsWith: .signal(SIGINT)) {
      let store = makeStore()
      store.on(Work.self) { work, dispatch in
        if work.text == "first" { return dispatch(NoteIntent.work("never ends")) }
        while true { send(SIGINT) }
      }
      let console = Console()
      send(SIGINT)
      await console.run(
        store, last: NoteIntent.work("first"), finishing: .seconds(600), within: .seconds(600))
    }
  }

  @Test("so it does where the program has not come to wait for its end yet")
  func signalsBefore() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      withExtendedLifetime(Console()) { while true { send(SIGTERM) } }
    }
  }

  @Test("a handler that does not return does not hold the end up")
  func stuck() async {
    await #expect(processExitsWith: .success) {
      let store = makeStore()
      store.on(Work.self) { _, _ in DispatchSemaphore(value: 0).wait() }
      let console = Console()
      console.end()
      await console.run(store, last: NoteIntent.work("a"), finishing: .zero, within: .zero)
    }
  }

  @Test("canceling the task that waits is the end, without waiting")
  func canceled() async {
    await #expect(processExitsWith: .success) {
      let left = await leftWhenCancelledInHandler { console, store in
        await console.run(
          store, last: NoteIntent.work("a"), finishing: .seconds(600), within: .seconds(600))
      }
      precondition(left == ["A delivery is under way"], "\(left)")
    }
  }

  @Test("what dispatches to the store is stopped before the last intents, or left behind")
  func stopping() async {
    await #expect(processExitsWith: .success) {
      let store = makeStore()
      let console = Console()
      console.end()
      let end = await console.run(
        store, last: NoteIntent.note("last"), finishing: .seconds(600), within: .seconds(600)
      ) {
        store.dispatch(NoteIntent.note("first"))
      }
      precondition(end.left == [] && store.state == ["first", "last"], "\(end) \(store.state)")
    }
    await #expect(processExitsWith: .success) {
      let console = Console()
      console.end()
      let end = await console.run(makeStore(), finishing: .zero) {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
      precondition(end.left == ["what stopping: does has not returned"], "\(end)")
    }
  }

  @Test("its leftovers are named")
  func left() async {
    await #expect(processExitsWith: .success) {
      let store = makeStore()
      let console = Console()
      store.on(Work.self) { _, _ async in
        console.end()
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
      }
      store.dispatch(NoteIntent.work("a"))
      let end = await console.run(store, finishing: .zero, within: .zero)
      precondition(end.left == [#"Work(text: "a") was canceled, but has not returned"#], "\(end)")
      guard case .effect(let work as Work, id: nil, because: .canceled)? = end.unfinished.first,
        end.unfinished.count == 1
      else { fatalError("\(end)") }
      precondition(work.text == "a")
    }
  }

  @Test("other signals are calls, which can dispatch")
  func otherSignals() async {
    await #expect(processExitsWith: .success) {
      let store = makeStore()
      let console = Console(endedBy: [])
      console.onSignal(SIGHUP) { store.dispatch(NoteIntent.note("hung up")) }
      for count in 1...3 {
        send(SIGHUP)
        for await notes in store.values(of: \.count) where notes == count { break }
      }
    }
  }

  @Test("a service manager hears that the program is ready, reloads, lives, and ends")
  func serviceManager() async {
    await #expect(processExitsWith: .success) {
      let path = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
      await notifyManager(at: path)
      unlink(path)
    }
    await #expect(processExitsWith: .success) { await notifyManager(at: "@" + UUID().uuidString) }
  }

  @Test("a program ends without a manager, with one that is gone, and with one that hangs")
  func noServiceManager() async {
    await #expect(processExitsWith: .success) {
      let name = "@" + UUID().uuidString
      let hanging = manager(at: name)
      for socket in [nil, "/nothing/here", String(repeating: "a", count: 200), name] {
        if let socket { setenv("NOTIFY_SOCKET", socket, 1) }
        for _ in 0..<1_000 { notifyManager("WATCHDOG=1") }
        let console = Console(endedBy: [])
        console.end()
        let end = await console.run(makeStore())
        precondition(end.left == [], "\(end)")
      }
      close(hanging)
    }
  }

  @Test("a call for a signal that ends the program stops it with the cure")
  func misusedSignal() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let console = Console()
      console.onSignal(SIGTERM) {}
    }
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("onSignal(SIGTERM) was called on a console that SIGTERM ends"))
    #expect(message.contains("Console(endedBy: [SIGINT])"))
  }

  @Test("a child process does not ignore a pipe without a reader")
  func childOfBrokenPipe() async {
    await #expect(processExitsWith: .success) {
      let console = Console()
      let child = Process()
      child.executableURL = URL(filePath: "/bin/sh")
      child.arguments = ["-c", "kill -PIPE $$"]
      try child.run()
      child.waitUntilExit()
      precondition(child.terminationReason == .uncaughtSignal && child.terminationStatus == SIGPIPE)
      withExtendedLifetime(console) {}
    }
  }

  @Test("the end of the input ends the program, after its lines")
  func lines() async {
    await #expect(processExitsWith: .success) {
      type("a\n\u{FF}b\nc")
      let store = makeStore()
      let console = Console()
      console.readLines { store.dispatch(NoteIntent.note($0)) }
      let end = await console.run(store)
      precondition(end.signal == nil && end.left == [], "\(end)")
      precondition(store.state == ["a", "\u{FF}b", "c"], "\(store.state)")
    }
  }

  @Test("lines have numbers, empty ones too")
  func numberedLines() async {
    await #expect(processExitsWith: .success) {
      type("a\n\nb")
      let store = makeStore()
      let console = Console()
      console.readLines { line, number in store.dispatch(NoteIntent.note("\(number) \(line)")) }
      await console.run(store)
      precondition(store.state == ["1 a", "2 ", "3 b"], "\(store.state)")
    }
  }

  @Test("an input that cannot be read is named, as one that was closed before the program began")
  func unreadableInput() async {
    await #expect(processExitsWith: .exitCode(1)) {
      close(STDIN_FILENO)
      let console = Console()
      console.readLines { _ in preconditionFailure() }
      let end = await console.run(makeStore())
      precondition(end.left.count == 1 && end.left[0].hasPrefix("standard input: "), "\(end)")
      end.exit()
    }
  }

  @Test("a program ends as its signal says, and with 1 if it wrote an error")
  func statuses() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let console = Console()
      send(SIGTERM)
      let end = await console.run(makeStore())
      end.exit()
    }
    await #expect(processExitsWith: .success) {
      let console = Console()
      console.end()
      let end = await console.run(makeStore())
      end.exit()
    }
    await #expect(processExitsWith: .exitCode(1)) {
      let console = Console()
      console.writeError("wrong")
      console.end()
      let end = await console.run(makeStore())
      end.exit()
    }
  }

  @Test("a status line is drawn by a terminal alone, erased around lines, and cut")
  func statusLine() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let console = Console()
      console.status("silent")
      console.write("a line")
      var (user, program): (Int32, Int32) = (-1, -1)
      var size = winsize(ws_row: 5, ws_col: 6, ws_xpixel: 0, ws_ypixel: 0)
      openpty(&user, &program, nil, nil, &size)
      setenv("TERM", "xterm", 1)
      dup2(program, STDOUT_FILENO)
      let onTerminal = Console()
      onTerminal.status("1 of 70")
      onTerminal.write("done")
      onTerminal.status(nil)
      onTerminal.end()
      await onTerminal.run(makeStore())
      var (text, bytes) = ("", [UInt8](repeating: 0, count: 1000))
      _ = fcntl(user, F_SETFL, O_NONBLOCK)
      while case let count = read(user, &bytes, 1000), count > 0 {
        text += String(decoding: bytes.prefix(count), as: UTF8.self)
      }
      let drawing = "\r\u{1B}[K\u{1B}[?7l1 of 7\u{1B}[?7h"
      precondition(
        text == "\(drawing)\r\u{1B}[Kdone\r\n\(drawing)\r\u{1B}[K", text.debugDescription)
    }
    #expect(String(decoding: result.standardOutputContent, as: UTF8.self).hasSuffix("a line\n"))
  }

  @Test("after end() no line is read")
  func ended() async {
    await #expect(processExitsWith: .success) {
      type("a\nq\nb\n")
      let store = makeStore()
      let console = Console()
      console.readLines { $0 == "q" ? console.end() : store.dispatch(NoteIntent.note($0)) }
      await console.run(store)
      precondition(store.state == ["a"], "\(store.state)")
    }
  }

  @Test("an output without a reader ends the program in good order")
  func brokenPipe() async {
    await #expect(processExitsWith: .success) {
      let pipe = Pipe()
      dup2(pipe.fileHandleForWriting.fileDescriptor, STDOUT_FILENO)
      try pipe.fileHandleForReading.close()
      let console = Console()
      console.write("nobody")
      let end = await console.run(makeStore())
      precondition(end.signal == nil && end.left == [], "\(end)")
    }
  }

  @Test("an output that refuses a line ends the program, which says so")
  func fullDisk() async {
    await #expect(processExitsWith: .success) {
      dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO)
      let console = Console()
      console.write("much")
      let end = await console.run(makeStore())
      precondition(end.left == ["standard output: No space left on device"], "\(end)")
    }
  }

  @Test("without a reader, effects continue, and a signal ends the program")
  func nobodyReads() async {
    await #expect(processExitsWith: .success) {
      let pipe = outputPipe()
      let store = makeStore()
      let console = Console()
      store.on(Work.self) { work, dispatch in
        console.write(work.text)
        dispatch(NoteIntent.note("written"))
      }
      store.dispatch(NoteIntent.work(String(repeating: "a", count: 499_999)))
      store.dispatch(NoteIntent.work("b"))
      precondition(store.state.count == 2)
      send(SIGTERM)
      let end = await console.run(store, finishing: .zero)
      precondition(end.left.count == 1, "\(end)")
      precondition(end.left[0].hasSuffix(" bytes without a reader"), "\(end)")
      withExtendedLifetime(pipe) {}
    }
  }

  @Test("a reader that goes while lines wait for it ends the program")
  func readerGoes() async {
    await #expect(processExitsWith: .success) {
      let pipe = outputPipe()
      let console = Console()
      console.write(String(repeating: "a", count: 200_000))
      try pipe.close()
      let end = await console.run(makeStore())
      precondition(end.signal == nil && end.left == [], "\(end)")
    }
  }

  @Test("last intents behind one whose handler does not return are named")
  func undispatched() async {
    await #expect(processExitsWith: .success) {
      let left = await leftWhenCancelledInHandler { console, store in
        await console.run(
          store, last: NoteIntent.work("a"), NoteIntent.note("b"), finishing: .seconds(600),
          within: .seconds(600))
      }
      precondition(left.first == #"note("b") was not dispatched"#, "\(left)")
    }
  }

  @Test(
    "writing more than 1 MiB without a reader waits, but no longer than to the end", .tags(.threads)
  )
  func waitingForReader() async {
    await #expect(processExitsWith: .success) {
      let pipe = outputPipe()
      let console = Console()
      console.write(String(repeating: "a", count: 2 << 20))
      Thread.detachNewThread {
        console.write("waits")
        console.end()
      }
      send(SIGTERM)
      await console.run(makeStore(), finishing: .zero)
      withExtendedLifetime(pipe) {}
    }
  }

  @Test(
    "an end without a signal waits until all is read, and lines of several threads are whole",
    .tags(.threads))
  func wholeLines() async {
    await #expect(processExitsWith: .success) {
      let pipe = outputPipe()
      _ = fcntl(STDOUT_FILENO, F_SETFL, O_NONBLOCK)
      let console = Console()
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for _ in 0..<10 { console.write(String(repeating: "\(thread)", count: 19_999)) }
      }
      let reading = Task.detached { try pipe.read(upToCount: 40 * 20_000) ?? Data() }
      console.end()
      let end = await console.run(makeStore())
      precondition(end.left == [], "\(end)")
      let lines = String(decoding: try await reading.value, as: UTF8.self).split(separator: "\n")
      precondition(lines.count == 40 && lines.allSatisfy { $0.count == 19_999 })
      precondition(lines.allSatisfy { Set($0).count == 1 })
    }
  }

  @Test("a call that blocks keeps no task from another, and throws what it throws", .tags(.threads))
  func blockingCalls() async throws {
    let gate = DispatchSemaphore(value: 0)
    let calls = (0..<20).map { number in
      Task {
        await runOnOwnThread {
          gate.wait()
          return number
        }
      }
    }
    await Task { for _ in calls { gate.signal() } }.value
    for (number, call) in calls.enumerated() { #expect(await call.value == number) }
    await #expect(throws: CancellationError.self) {
      try await runOnOwnThread { throw CancellationError() }
    }
  }
}

/// Runs a program whose handler does not return, cancels it when that is in it, and returns what it
/// leaves.
private func leftWhenCancelledInHandler(
  _ run: @escaping @Sendable (Console, Store<[String]>) async -> Console.End
) async -> [String] {
  let (store, console) = (makeStore(), Console())
  let isIn = DispatchSemaphore(value: 0)
  store.on(Work.self) { _, _ in
    isIn.signal()
    DispatchSemaphore(value: 0).wait()
  }
  let end = Task { await run(console, store) }
  console.end()
  Thread.detachNewThread {
    isIn.wait()
    end.cancel()
  }
  return await end.value.left
}

/// A socket that stands for a service manager's.
private func manager(at path: String) -> Int32 {
  let manager = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  withUnsafeMutableBytes(of: &address.sun_path) { bytes in
    bytes.copyBytes(from: path.utf8)
    if path.hasPrefix("@") { bytes[0] = 0 }
  }
  let size = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count)
  withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      precondition(bind(manager, address, size) == 0)
    }
  }
  return manager
}

/// Runs a program that a service manager with a socket at `path` has started, and checks what it
/// hears.
private func notifyManager(at path: String) async {
  let manager = manager(at: path)
  setenv("NOTIFY_SOCKET", path, 1)
  let store = makeStore()
  let console = Console(endedBy: [])
  store.on(Work.self) { _, _ in notifyManager("WATCHDOG=1") }
  console.onSignal(SIGHUP) {
    notifyManager("RELOADING=1")
    store.dispatch(NoteIntent.work("living"))
    notifyManager("READY=1")
    console.end()
  }
  let run = Task { await console.run(store) }
  let ready = await receive(from: manager)
  precondition(ready == "READY=1", ready)
  send(SIGHUP)
  let reloading = await receive(from: manager).split(separator: "\n")
  precondition(reloading.count == 2 && reloading[0] == "RELOADING=1", "\(reloading)")
  let time = reloading[1].split(separator: "=")
  precondition(time[0] == "MONOTONIC_USEC" && Int(time[1])! > 0, "\(reloading)")
  for state in ["WATCHDOG=1", "READY=1", "STOPPING=1"] {
    let received = await receive(from: manager)
    precondition(received == state, received)
  }
  let end = await run.value
  precondition(end.left == [], "\(end)")
  close(manager)
}

/// The next datagram.
private func receive(from manager: Int32) async -> String {
  await runOnOwnThread {
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = recv(manager, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

/// Has standard output be a pipe, and returns where that is read.
private func outputPipe() -> FileHandle {
  let pipe = Pipe()
  dup2(pipe.fileHandleForWriting.fileDescriptor, STDOUT_FILENO)
  return pipe.fileHandleForReading
}

/// Has a text be what is typed into this process.
private func type(_ text: String) {
  let pipe = Pipe()
  dup2(pipe.fileHandleForReading.fileDescriptor, STDIN_FILENO)
  pipe.fileHandleForWriting.write(Data(text.utf8))
  try? pipe.fileHandleForWriting.close()
}

@Suite("The modes that a killed program leaves")
struct TerminalModeTests {
  @Test("are those for keys, and not the raw modes of other programs")
  func others() {
    var sane = termios()
    sane.c_lflag = tcflag_t(ICANON | ECHO | ISIG)
    sane.c_iflag = tcflag_t(IXON)
    #expect(!sane.isForKeys)
    #expect(sane.forKeys.isForKeys)
    var raw = sane
    cfmakeraw(&raw)
    #expect(!raw.isForKeys)
    #expect(!termios().isForKeys)
  }
}
