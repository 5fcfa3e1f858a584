import Foundation
import Glue
import GlueLogging
import ProcessSupport
import Testing

@Suite("A log without a reader")
struct BrokenPipeTests {
  /// Gives this process a pipe for its standard error whose other end is closed.
  private static func breakStandardError() {
    signal(SIGPIPE, SIG_DFL)
    let pipe = Pipe()
    dup2(pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO)
    try? pipe.fileHandleForReading.close()
  }

  private static func log() {
    let store = Store(state: Counter(), reducer: counter, monitors: [LogMonitor<Counter>()])
    for _ in 0..<3 { store.dispatch(CounterIntent.add(1)) }
    precondition(store.state.value == 3)
  }

  @Test("entries that can't be written are lost, and no signal ends the program")
  func lost() async {
    await #expect(processExitsWith: .success) {
      Self.breakStandardError()
      Self.log()
      try? FileHandle.standardError.close()
      Self.log()
    }
  }

  #if DEBUG
    private static func reportProblem() {
      let store = Store(state: Counter(), reducer: counter)
      store.dispatch(Thunk<Counter> { _, _ in })
    }

    @Test("so are problems, which a debug build prints")
    func problems() async {
      await #expect(processExitsWith: .success) {
        Self.breakStandardError()
        Self.reportProblem()
        try? FileHandle.standardError.close()
        Self.reportProblem()
      }
      await #expect(processExitsWith: .signal(SIGPIPE)) {
        Self.breakStandardError()
        Self.reportProblem()
        write(STDERR_FILENO, "a", 1)
      }
    }
  #endif

  @Test("the signal still ends the program that writes to such a pipe itself")
  func otherWrites() async {
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      Self.breakStandardError()
      Self.log()
      write(STDERR_FILENO, "a", 1)
    }
  }

  @Test("a signal that waited before still waits, and none else")
  func pending() async {
    await #expect(processExitsWith: .success) {
      await onThread {
        var (pipe, mask, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &mask)
        Self.breakStandardError()
        Self.log()
        sigpending(&pending)
        precondition(sigismember(&pending, SIGPIPE) == 0)
        pthread_kill(pthread_self(), SIGPIPE)
        Self.log()
        sigpending(&pending)
        precondition(sigismember(&pending, SIGPIPE) == 1)
        var signal: Int32 = 0
        sigwait(&pipe, &signal)
        close(STDERR_FILENO)  // The exit test itself writes to it at its end.
      }
    }
  }
}
