#if !PostgreSQL
  public import GlueCluster

  /// Stands in for the engine while the trait PostgreSQL is off.
  @available(
    *, unavailable,
    message: """
      Glue's trait PostgreSQL is off. In Package.swift, turn it on where your package depends on \
      Glue: .package(url: …, from: …, traits: ["PostgreSQL"])
      """
  )
  public struct PostgreSQL: Sendable {
    /// Never called.
    public init(
      _ address: String, warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(LogError) {
      throw .refused("the trait PostgreSQL is off")
    }

    /// Never called.
    public func log(_ name: String) -> any Log { fatalError() }
  }

  /// Stands in for a log while the trait PostgreSQL is off.
  @available(*, unavailable, message: "Glue's trait PostgreSQL is off.")
  public typealias PostgreSQLLog = any Log
#endif
