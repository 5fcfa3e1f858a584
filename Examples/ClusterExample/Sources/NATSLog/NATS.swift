import CNATS
import Foundation
public import GlueCluster
import Synchronization

/// A connection to servers of NATS with JetStream, which keep logs.
///
///     let nats = try NATS(["nats://a:4222", "nats://b:4222", "nats://c:4222"])
///     let log = nats.log("counter", copies: 3)    // try await log.make(), once
///
/// All logs of one value share the connection. While it is lost, an append fails at once
/// (`ReconnectBufSize` 0, `FailRequestsOnDisconnect`), and ``SharedStore`` retries until its deadline.
/// If the client closes the connection for good, such as after refused credentials, the next call
/// makes another one.
public final class NATS: Sendable {
  private let servers: [String]
  private let current: Mutex<Connection>

  /// Connects, and retries until a server is there.
  ///
  /// - Parameter servers: such as `nats://127.0.0.1:4222`. Any one that answers is enough.
  /// - Throws: ``LogError/refused(_:)`` if one isn't an address.
  public init(_ servers: [String]) throws(LogError) {
    for server in servers where !server.contains("://") {
      throw .refused("\"\(server)\" is no address of NATS, such as nats://127.0.0.1:4222.")
    }
    self.servers = servers
    current = Mutex(try Connection(to: servers))
  }

  /// A log of a name.
  ///
  /// - Parameters:
  ///   - name: of the stream, and of the bucket for its snapshots: letters, digits and `-`.
  ///   - copies: on how many servers the log is kept; 3 survive the loss of one. A log with another
  ///     number of copies is refused.
  /// - Returns: an engine for one ``SharedStore``.
  public func log(_ name: String, copies: Int) -> NATSLog {
    NATSLog(nats: self, name: name, copies: copies)
  }

  /// The connection, or another one if that was closed.
  func connection() throws(LogError) -> Connection {
    try current.withLock { connection throws(LogError) in
      if natsConnection_IsClosed(connection.pointer) { connection = try Connection(to: servers) }
      return connection
    }
  }
}

/// A connection of the C client, closed with its last user.
final class Connection: Sendable {
  // Sound: the client's functions may be called from any thread, and these two are set once.
  nonisolated(unsafe) let pointer: OpaquePointer
  nonisolated(unsafe) let stream: OpaquePointer

  init(to servers: [String]) throws(LogError) {
    var options: OpaquePointer?
    try check(natsOptions_Create(&options))
    defer { natsOptions_Destroy(options) }
    var addresses = servers.map { UnsafePointer(strdup($0)) }
    defer { for address in addresses { free(UnsafeMutablePointer(mutating: address)) } }
    try check(natsOptions_SetServers(options, &addresses, Int32(addresses.count)))
    // Without a function to call, connecting would block until a server is there.
    natsOptions_SetRetryOnFailedConnect(options, true, { _, _ in }, nil)
    natsOptions_SetTimeout(options, 1_000)
    natsOptions_SetMaxReconnect(options, -1)
    natsOptions_SetReconnectWait(options, 100)
    natsOptions_SetReconnectBufSize(options, 0)
    natsOptions_SetFailRequestsOnDisconnect(options, true)
    natsOptions_SetPingInterval(options, 1_000)
    natsOptions_SetMaxPingsOut(options, 2)
    var connection: OpaquePointer?
    let status = natsConnection_Connect(&connection, options)
    if status != NATS_NOT_YET_CONNECTED { try check(status) }
    pointer = connection!
    var stream: OpaquePointer?
    var settings = jsOptions()
    jsOptions_Init(&settings)
    settings.Wait = 3_000
    let made = natsConnection_JetStream(&stream, connection, &settings)
    self.stream = stream ?? pointer
    try check(made)
  }

  deinit {
    jsCtx_Destroy(stream)
    natsConnection_Destroy(pointer)
  }

  /// The servers' reason for refusing the connection; nil if they didn't.
  var refusal: String? {
    var words: UnsafePointer<CChar>?
    let status = natsConnection_GetLastError(pointer, &words)
    let isRefused = status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED
    return isRefused ? "NATS: " + (words.map { String(cString: $0) } ?? text(of: status)) : nil
  }
}
