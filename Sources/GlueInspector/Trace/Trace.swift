internal import Glue

/// A run as Chrome trace events, in JSON.
///
/// Commits are instants of one thread. Effects are pairs of a beginning and an end, which may
/// overlap. Flows lead from a commit to those that its effects caused.
struct Trace {
  private var events: [String] = []

  /// The texts of the kept commits' effects.
  private var effects: [Cause: String] = [:]

  /// The effects that began and have not ended.
  private var running: Set<Cause> = []

  /// The times of the commits, and of the last event, in microseconds since 1970.
  private var times: [Int: Int] = [:]
  private var last = 0

  /// How many effects have no slice, because their commits list only some.
  private var leftOut = 0

  /// Returns the trace of a run's entries.
  static func json(of entries: [Entry], state: String, gone: Int) -> [UInt8] {
    var trace = Trace()
    trace.name("process", "Store<\(state)>")
    trace.name("thread", "commits")
    for entry in entries {
      switch entry {
      case .commit(let commit): trace.add(commit)
      case .effect(let effect): trace.add(effect)
      }
    }
    for cause in trace.running { trace.add("e", of: cause, at: trace.last) }
    let other = "\"otherData\":{\"commitsGone\":\(gone),\"effectsLeftOut\":\(trace.leftOut)}"
    return Array("{\"traceEvents\":[\n\(trace.events.joined(separator: ",\n"))\n],\(other)}\n".utf8)
  }

  private mutating func name(_ what: String, _ name: String) {
    events.append(
      "{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"\(what)_name\",\"args\":{\"name\":\(quoted(name))}}"
    )
  }

  private mutating func add(_ phase: String, _ name: String, at time: Int, _ more: String) {
    last = max(last, time)
    events.append(
      "{\"ph\":\"\(phase)\",\"pid\":1,\"tid\":1,\"ts\":\(time),\"name\":\(quoted(name)),\(more)}")
  }

  private mutating func add(_ commit: CommitEntry) {
    for (index, text) in commit.effects.enumerated() {
      effects[.effect(index, ofCommit: commit.number)] = text
    }
    for (id, text) in commit.began { effects[.lasting(id, sinceCommit: commit.number)] = text }
    times[commit.number] = commit.time
    let details = commit.changes.isEmpty ? "" : ",\(commit.changes)"
    add(
      "i", commit.intent, at: commit.time,
      "\"s\":\"t\",\"cat\":\"commit\",\"args\":{\"number\":\(commit.number)\(details)}")
    if commit.unlistedEffectCount > 0 {
      leftOut += commit.unlistedEffectCount
      add(
        "i", "\(commit.unlistedEffectCount) more effects of #\(commit.number), left out",
        at: commit.time, "\"s\":\"t\",\"cat\":\"left out\"")
    }
    guard let start = commit.cause.commit.flatMap({ times[$0] }) else { return }
    let flow = "\"cat\":\"cause\",\"id\":\(commit.number)"
    add("s", "cause", at: start, flow)
    add("f", "cause", at: commit.time, flow + ",\"bp\":\"e\"")
  }

  private mutating func add(_ effect: EffectEntry) {
    switch effect.kind {
    case .started:
      if running.insert(effect.cause).inserted { add("b", of: effect.cause, at: effect.time) }
    case .ended:
      if running.remove(effect.cause) != nil { add("e", of: effect.cause, at: effect.time) }
    case .canceled: break
    }
  }

  private mutating func add(_ phase: String, of cause: Cause, at time: Int) {
    guard let (id, text) = effect(cause) else { return }
    let details = "\"args\":{\"effect\":\(quoted(text)),\"commit\":\(cause.commit ?? 0)}"
    add(
      phase, String(text.prefix { $0 != "(" }), at: time,
      "\"cat\":\"effect\",\"id\":\(quoted(id)),\(details)")
  }

  /// The effect's unique id and its text; nil if its commit was removed.
  private func effect(_ cause: Cause) -> (id: String, text: String)? {
    switch cause {
    case .outside: nil
    case .effect(let index, let commit): effects[cause].map { ("\(commit).\(index)", $0) }
    case .lasting(let id, 0): ("0.\(id)", id)
    case .lasting(let id, let commit): effects[cause].map { ("\(commit).\(id)", $0) }
    }
  }
}

extension Cause {
  /// The number of the effect's commit; 0 stands for the first state.
  fileprivate var commit: Int? {
    switch self {
    case .outside: nil
    case .effect(_, let commit), .lasting(_, let commit): commit
    }
  }
}
