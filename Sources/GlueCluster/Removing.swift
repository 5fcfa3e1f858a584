import Glue

extension SharedStore {
  /// Takes a replica that will not come back out of the table, so that no upgrade waits for it.
  ///
  ///     try await shared.upgrade(to: 2)                // notReady(["eu-3"])
  ///     try await shared.remove(replica: "eu-3")       // its machine is gone
  ///     try await shared.upgrade(to: 2)
  ///
  /// ``status`` doesn't list it anymore. If it was the owner, another replica takes over at once. A
  /// label that no replica has changes nothing. If a start's first entry comes only later, its label is
  /// back: call this again. If the replica runs after all, it continues, and reports
  /// ``SharedStoreEvent/labelInUse(_:)``; restart it, so that upgrades wait for it again.
  ///
  /// - Parameter label: not this replica's own, which stops the program; ``close()`` takes that out.
  /// - Throws: the errors of ``send(_:)``. Unless it is ``SharedStoreError/notSent(_:)``, the replica
  ///   may still be taken out.
  public func remove(replica label: String) async throws(SharedStoreError) {
    guard label != replica.label else {
      fatalError(
        """
        Glue: a replica can't remove itself.
          Wrong: shared.remove(replica: "\(label)"), on the replica of that label
          Right: await shared.close()
        """)
    }
    try await catchUp()
    let senders = store.state.table.senders.values
    guard senders.contains(where: { $0.replica == label && !$0.isGone }) else { return }
    let sender = newSender(replica.timing)
    var entry: Entry.Header?
    var session: Outgoing.Session?
    while entry.map({ store.state.table.number(of: $0.sender) == 0 }) ?? true {
      // In another session the log may have lost what the entry says this replica has seen.
      if let current = replica.sender.session, entry == nil || session != current {
        session = current
        entry = Entry.end(
          of: label, knows: replica.program.versions.known.upperBound,
          seen: store.state.table.seen, sender)
      }
      // Its reply may be lost, so the next entry shows whether it is there. It counts once.
      if let entry, let session, let bytes = try? Entry.bytes(entry, []) {
        _ = try? await replica.log.append(bytes, in: session.name, within: .seconds(4))
      }
      try await catchUp()
    }
  }
}

extension Entry {
  /// An entry of a new start with a label that ends at once.
  ///
  /// An entry ends the starts of its label whose first entry it has seen, so all replicas take the
  /// label out alike.
  static func end(of label: String, knows: Int, seen: Seen, _ sender: String) -> Header {
    Header(sender: sender, replica: label, number: 1, knows: knows, act: .gone, seen: seen)
  }
}

/// Names one start of a replica.
func newSender(_ timing: Timing) -> String { String(timing.number(), radix: 36) }
