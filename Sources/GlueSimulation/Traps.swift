internal import Foundation
internal import Glue
internal import GlueSimulationOutput

/// Turns a trap of a program into a crash of its machine, while simulations run.
///
/// A Swift trap is a signal, and so is the overflow of a stack. The handler acts only on a thread that
/// runs a step of a machine, and calls the previous handler otherwise. So a trap in the test's own code,
/// or in something outside of the machines, ends the test process as usual.
enum Traps {
  #if os(Linux)
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGSEGV, SIGBUS]
    private static let previous = Locked<(users: Int, actions: [Int32: sigaction])>((0, [:]))

    /// Installs the handler, unless another simulation has.
    static func install() {
      previous.withLock { previous in
        previous.users += 1
        if previous.users > 1 { return }
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = { Traps.handle($0, $1, $2) }
        // Another thread continues, and the signal must not stay blocked on this one.
        action.sa_flags = SA_SIGINFO | Int32(SA_NODEFER) | Int32(SA_ONSTACK)
        for signal in signals {
          var old = sigaction()
          sigaction(signal, &action, &old)
          previous.actions[signal] = old
        }
      }
    }

    /// Restores the previous handlers after the last simulation.
    static func remove() {
      previous.withLock { previous in
        previous.users -= 1
        if previous.users > 0 { return }
        for (signal, var old) in previous.actions { sigaction(signal, &old, nil) }
      }
    }

    private static func text(
      of signal: Int32, at address: UnsafeMutableRawPointer?, in simulator: Simulator
    ) -> String {
      if signal != SIGSEGV && signal != SIGBUS { return "a trap (signal \(signal))" }
      let distance = Int(bitPattern: address) - Int(bitPattern: simulator.stackEnd)
      return abs(distance) < 65_536
        ? "a stack overflow, likely by an endless recursion"
        : "an access to memory that isn't there (signal \(signal))"
    }

    private static func handle(
      _ signal: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
    ) {
      if let process = SimulatedProcess.onThisThread {
        glue_set_inside(0)
        let (simulator, address) = (process.simulator, info?.pointee._sifields._sigfault.si_addr)
        let printed = simulator.takePrinted()
        let message = printed.flatMap(fatalMessage)
        process.trap(
          message.map { shortened($0) } ?? text(of: signal, at: address, in: simulator),
          printed: message == nil ? nil : printed,
          isAnswer: [SIGILL, SIGTRAP, SIGABRT].contains(signal)
            && message?.hasPrefix("Glue: ") != true)
      }
      Simulator.onThisThread?.passOnPrinted()
      guard var old = previous.withLock({ $0.actions[signal] }) else { return }
      if old.sa_flags & SA_SIGINFO != 0, let handler = old.__sigaction_handler.sa_sigaction {
        handler(signal, info, context)
      } else {
        // The instruction is executed again, by the default or the older handler.
        sigaction(signal, &old, nil)
      }
    }

    static let stackSize = 256 << 10

    /// Lets the calling thread's handlers run on a stack of their own; nil for none.
    ///
    /// A thread that begins in a handler inherits what that blocks: all signals under a sanitizer.
    static func useStack(_ memory: UnsafeMutableRawPointer?) {
      var set = sigset_t()
      sigemptyset(&set)
      for signal in signals { sigaddset(&set, signal) }
      pthread_sigmask(SIG_UNBLOCK, &set, nil)
      var stack = stack_t(
        ss_sp: memory, ss_flags: memory == nil ? Int32(SS_DISABLE) : 0, ss_size: stackSize)
      sigaltstack(&stack, nil)
    }
  #else
    static let stackSize = 256 << 10
    static func install() {}
    static func remove() {}
    static func useStack(_ memory: UnsafeMutableRawPointer?) {}
  #endif
}

/// The C library's `stderr` while simulations run, so that the message of a trap comes into the
/// story: the Swift runtime prints it just before.
///
/// Text of other threads, and of steps that don't trap, is passed on.
enum Output {
  private static let users = Locked(0)

  static func begin() {
    users.withLock { users in
      users += 1
      glue_add_simulations(1)
      if users == 1 { _ = glue_capture_errors(keep) }
    }
  }

  static func end() {
    users.withLock { users in
      users -= 1
      glue_add_simulations(-1)
      if users == 0 { glue_release_errors() }
    }
  }

  static func pass(on text: [UInt8]) { _ = write(2, text, text.count) }
}

/// Keeps what a simulation's thread prints until its step ends or traps.
private func keep(_ bytes: UnsafePointer<CChar>?, _ count: Int) {
  let text = Array(UnsafeRawBufferPointer(start: bytes, count: count))
  if let simulator = Simulator.onThisThread {
    simulator.printed += text
  } else {
    Output.pass(on: text)
  }
}

/// The message of a trap, in what was printed before it.
private func fatalMessage(in printed: String) -> String? {
  printed.range(of: "Fatal error: ", options: .backwards).map { String(printed[$0.upperBound...]) }
}

extension Simulator {
  /// Takes the text that the current step has printed before it trapped.
  fileprivate func takePrinted() -> String? {
    defer { printed = [] }
    return printed.isEmpty ? nil : String(decoding: printed, as: UTF8.self)
  }

  /// Passes on what the last step has printed.
  func passOnPrinted() {
    if printed.isEmpty { return }
    Output.pass(on: printed)
    printed = []
  }
}
