/// What Glue promises of its speed; all that it promises is here.
let budgets: [Budget] = [
  Budget(path: "dispatch/erased", bound: .times(1.5, of: "floor"), allocations: 0),
  Budget(path: "dispatch/typed", bound: .times(1.5, of: "floor"), allocations: 0),
  idle(1), idle(10), idle(100), idle(1000),
  Budget(path: "subscribers/1 changed", bound: .nanoseconds(60, over: "none")),
  Budget(path: "effects/1 handler", bound: .nanoseconds(80, over: "no handler")),
  Budget(path: "state/of 1000000", bound: .times(1.05, of: "of 1"), allocations: 0),
  Budget(path: "reading/state", bound: .times(2, of: "empty lock"), allocations: 0),
  Budget(path: "async/chain of effects", bound: .times(1.3, of: "chain of bare tasks")),
  Budget(path: "threads/2", bound: .times(2, of: "1")),
  Budget(path: "journal/queued", bound: .nanoseconds(150, over: "queued, without")),
  Budget(path: "journal/written", bound: .times(1 / 3, of: "SQLite, written")),
  Budget(path: "journal/synced", bound: .times(1, of: "SQLite, synced")),
  Budget(path: "journal/performed by 16 tasks", bound: .times(1 / 5, of: "performed by 1 task")),
  Budget(path: "journal/recovered", bound: .times(1, of: "SQLite, read and decoded")),
]

/// Of subscribers whose value did not change.
private func idle(_ count: Int) -> Budget {
  Budget(
    path: "subscribers/\(count) idle", bound: .nanoseconds(6, over: "none", each: count),
    allocations: 0)
}
