extension Store: LoggedStore {
  package var newest: (state: any Sendable, commit: Int) {
    read(.state) { core in (core.state, core.company?.commits ?? 0) }
  }

  package nonisolated(nonsending) func mute() async -> (state: any Sendable, commit: Int)? {
    let last = read(.dispatch) { core -> (state: any Sendable, commit: Int)? in
      guard let company = core.company, !company.isMute else { return nil }
      company.mute()
      return (core.state, company.commits)
    }
    if last != nil { await awaitDeliveries(until: nil) }
    return last
  }
}
