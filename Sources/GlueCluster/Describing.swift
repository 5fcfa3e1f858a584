extension SharedStoreStatus: CustomStringConvertible, Encodable {
  /// The status in one line.
  public var description: String {
    let (link, reason) = link.described
    let versions = replicas.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
      .joined(separator: ", ")
    let parts: [String?] = [
      link, "position \(position)", "lag \(lag)", "version \(version)",
      canDrop.map { "can drop \($0)" }, owner.map { "owner \($0)" } ?? "no owner", "owed \(owed)",
      replicas.isEmpty ? "no replicas" : "replicas \(versions)", reason,
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
      .split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  private enum Key: CodingKey {
    case link, reason, position, lag, version, canDrop, owner, owed, replicas
  }

  /// Encodes the status for machines.
  ///
  /// `link` is `connecting`, `live`, `cut` or `stopped`; the last two have a `reason`. A part that is
  /// nil is left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    let (link, reason) = link.described
    try container.encode(link, forKey: .link)
    try container.encodeIfPresent(reason, forKey: .reason)
    try container.encode(position, forKey: .position)
    try container.encode(lag, forKey: .lag)
    try container.encode(version, forKey: .version)
    try container.encodeIfPresent(canDrop, forKey: .canDrop)
    try container.encodeIfPresent(owner, forKey: .owner)
    try container.encode(owed, forKey: .owed)
    try container.encode(replicas, forKey: .replicas)
  }
}

extension LogLink {
  fileprivate var described: (link: String, reason: String?) {
    switch self {
    case .connecting: ("connecting", nil)
    case .live: ("live", nil)
    case .cut(let reason): ("cut", reason)
    case .stopped(let error): ("stopped", "\(error)")
    }
  }
}
