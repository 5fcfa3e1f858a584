/// All of Glue's promises about its speed.
let budgets: [Budget] =
  [
    Budget(path: "dispatch/erased", bound: .times(1.5, of: "floor"), allocations: 0),
    Budget(path: "dispatch/typed", bound: .times(1.5, of: "floor"), allocations: 0),
    idle(1), idle(10), idle(100), idle(1000),
    Budget(path: "subscribers/1 changed", bound: .nanoseconds(60, over: "none")),
    Budget(path: "effects/1 handler", bound: .nanoseconds(80, over: "no handler")),
    Budget(path: "state/of 1000000", bound: .times(1.05, of: "of 1"), allocations: 0),
    Budget(path: "reading/state", bound: .times(2, of: "empty lock"), allocations: 0),
    Budget(path: "async/chain of effects", bound: .times(2.2, of: "chain of bare tasks")),
    Budget(
      path: "async/chain of effects, performed", bound: .times(1.08, of: "chain of effects")),
    Budget(path: "journal/queued", bound: .nanoseconds(150, over: "queued, without")),
    Budget(path: "journal/written", bound: .times(1 / 2.4, of: "SQLite, written")),
    Budget(path: "journal/synced", bound: .times(1, of: "SQLite, synced")),
    Budget(path: "journal/performed by 16 tasks", bound: .times(1 / 5, of: "performed by 1 task")),
    Budget(path: "journal/recovered", bound: .times(1, of: "SQLite, read and decoded")),
    Budget(path: "threads/16, largest share of all", bound: .atMost(10, .ratio)),
  ] + [2, 4, 8, 16].flatMap(contended)

/// The budgets of threads that dispatch to one store at once.
private func contended(_ threads: Int) -> [Budget] {
  [
    Budget(path: "threads/\(threads)", bound: .times(4, of: "1")),
    Budget(path: "threads/\(threads), 1 changed", bound: .times(2, of: "1, 1 changed")),
    Budget(path: "threads/\(threads), switches", bound: .atMost(25, .switches)),
    Budget(path: "threads/\(threads), 1 changed, switches", bound: .atMost(25, .switches)),
  ]
}

/// The budget of subscribers whose value did not change.
private func idle(_ count: Int) -> Budget {
  Budget(
    path: "subscribers/\(count) idle", bound: .nanoseconds(6, over: "none", each: count),
    allocations: 0)
}
