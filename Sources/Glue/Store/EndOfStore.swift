extension Store {
  /// Ends what goes on, as nobody holds the store any more.
  @inlinable
  func end() {
    var leftovers: [Leftover] = []
    let isRecorded = core.withLock(by: currentThread()) { core in
      if core.runner != nil { leftovers = core.end() }
      return core.journal != nil
    }
    if isRecorded || link != nil { tellOfEnd() }
    leftovers.finish()
  }

  /// Tells the journal and the middleware, if any, of the last state.
  @usableFromInline
  func tellOfEnd() {
    let (state, commits, journal) = core.withLock { ($0.state, $0.commits, $0.journal) }
    journal?.end(state, commits)
    link?.detach(last: state)
  }
}
