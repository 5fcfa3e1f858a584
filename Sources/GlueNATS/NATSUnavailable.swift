#if !NATS
  public import GlueCluster

  /// Stands in for the engine while the trait NATS is off.
  @available(
    *, unavailable,
    message: """
      Glue's trait NATS is off. In Package.swift, turn it on where your package depends on Glue: \
      .package(url: …, from: …, traits: ["NATS"])
      """
  )
  public struct NATS: Sendable {
    /// Never called.
    public init(_ servers: [String]) throws(LogError) { throw .refused("the trait NATS is off") }

    /// Never called.
    public func log(_ name: String, copies: Int) -> any NATSLog { fatalError() }
  }

  /// Stands in for a log while the trait NATS is off.
  @available(*, unavailable, message: "Glue's trait NATS is off.")
  public protocol NATSLog: Log {
    /// Never called.
    func make() async throws(LogError)

    /// Never called.
    func make(within limit: Duration) async throws(LogError)

    /// Never called.
    func leader() async throws(LogError) -> String?
  }
#endif
