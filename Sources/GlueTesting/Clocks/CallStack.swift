#if os(Linux) && canImport(Runtime)
  internal import Runtime

  /// The calls of a thread that makes a task.
  ///
  /// Those of two tasks are equal if the same calls have made them.
  struct CallStack: Sendable, Hashable {
    private let backtrace: Backtrace
    private let calls: [String]

    /// Captures the calls of the current thread, if that is possible.
    init?() {
      guard let backtrace = try? Backtrace.capture(limit: 24) else { return nil }
      self.backtrace = backtrace
      calls = backtrace.frames.map { "\($0)" }
    }

    static func == (a: CallStack, b: CallStack) -> Bool { a.calls == b.calls }

    func hash(into hasher: inout Hasher) { hasher.combine(calls) }

    /// The file and line of the `async let`, `addTask` or `Task { }`, as "DraftTests.swift:12"; nil
    /// if this module makes the task, and without debug information.
    ///
    /// - Complexity: that of reading the program's debug information.
    var place: String? {
      let symbols = backtrace.symbolicated()?.frames.compactMap(\.symbol) ?? []
      // The first calls are the executor's, which has got the task.
      let callers = symbols.drop { $0.place == nil || $0.rawName.hasPrefix("$s11GlueTesting") }
      return callers.first?.place
    }
  }

  extension SymbolicatedBacktrace.Symbol {
    /// The file and line, unless the compiler has made the function.
    fileprivate var place: String? {
      guard let place = sourceLocation, place.line > 0 else { return nil }
      return "\(place.path.split(separator: "/").last ?? ""):\(place.line)"
    }
  }
#else
  /// The calls of a thread that makes a task, which can't be captured here.
  struct CallStack: Sendable, Hashable {
    init?() { nil }
    var place: String? { nil }
  }
#endif
