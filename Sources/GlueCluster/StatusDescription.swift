extension SharedStoreStatus: CustomStringConvertible, Encodable {
  /// The status in one line.
  public var description: String {
    let (link, reason) = link.described
    let versions = replicas.sorted { $0.key < $1.key }.map { "\($0): \($1)" }
      .joined(separator: ", ")
    let parts: [String?] = [
      link, "position \(position)", "lag \(lag)", "version \(version)",
      canDrop.map { "can drop \($0)" }, owner.map { "owner \($0)" } ?? "no owner", "owed \(owed)",
      describedFailing, appendFailure.map { "appends fail: \($0)" },
      replicas.isEmpty ? "no replicas" : "replicas \(versions)", reason,
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
      .split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// The first three; the JSON has all.
  private var describedFailing: String? {
    if failing.isEmpty { return nil }
    let first = failing.sorted { $0.key < $1.key }.prefix(3).map {
      "\($0.key.name): \($0.value.reason)"
    }
    let more = failing.count > 3 ? ["\(failing.count - 3) more"] : []
    return "failing " + (first + more).joined(separator: ", ")
  }

  private enum Key: CodingKey {
    case link, reason, position, lag, version, canDrop, owner, owed, failing, appendFailure,
      replicas, heard
  }

  /// Encodes the status for machines.
  ///
  /// `link` is `connecting`, `live`, `cut` or `stopped`; the last two have a `reason`. `failing` has an
  /// ``OwedFailure`` by effects, such as `12.0` for the first one of entry 12. The encoder's strategy
  /// decides how dates look. A part that is nil is left out.
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
    let failing = Dictionary(uniqueKeysWithValues: failing.map { ($0.key.name, $0.value) })
    try container.encode(failing, forKey: .failing)
    try container.encodeIfPresent(appendFailure, forKey: .appendFailure)
    try container.encode(replicas, forKey: .replicas)
    try container.encode(heard, forKey: .heard)
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
