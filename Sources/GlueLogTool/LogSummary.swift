import GlueCluster

extension LogContents {
  /// Describes the log, in lines.
  var lines: [String] {
    if table.position == 0 { return ["the log is empty"] }
    let isTrimmed = first > table.position
    var lines = [isTrimmed ? "no entries are left" : "entries \(first) to \(table.position)"]
    lines += strays.map { "  entry \($0) is another program's, and skipped by all replicas" }
    if let snapshot {
      lines.append(
        "snapshot after entry \(snapshot.position): \(snapshot.bytes) bytes, "
          + "version \(snapshot.version)")
    } else {
      lines.append("no snapshot")
    }
    lines.append("version \(table.version)")
    lines.append("owner: \(owner)")
    for sender in table.senders.values.sorted(by: { ($0.replica, $0.last) < ($1.replica, $1.last) })
    {
      let end = sender.isGone ? ", has ended" : ""
      lines.append(
        "replica \(sender.replica): \(sender.number) entries, the last at \(sender.last), "
          + "knows version \(sender.knows)\(end)")
    }
    return lines
  }

  private var owner: String {
    guard let sender = table.owner.sender, let known = table.senders[sender] else { return "none" }
    return "\(known.replica), since entry \(table.owner.revision)"
  }
}
