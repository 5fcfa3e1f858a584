import CNATS
import Foundation
public import GlueCluster
import Synchronization

/// A connection to servers of NATS with JetStream, which keep logs.
///
///     let nats = try NATS(["nats://a:4222", "nats://b:4222", "nats://c:4222"])
///     let log = nats.log("counter", copies: 3)    // try await log.make(), once
///
/// All logs of one value share the connection. Disconnected, nothing is buffered: an append fails at
/// once (`ReconnectBufSize` 0, `FailRequestsOnDisconnect`), and ``SharedStore`` tries again until its
/// deadline. A connection that the client has closed for good, such as after refused credentials, is
/// made anew.
public final class NATS: Sendable {
  private let servers: [String]
  private let current: Mutex<Connection>

  /// Connects; servers that are not there yet are tried until they are.
  ///
  /// - Parameter servers: such as `nats://127.0.0.1:4222`. Any that answers will do.
  /// - Throws: ``LogError/cut(_:)`` if an address is no address.
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
  ///   - copies: on how many servers the log is kept; 3 stand the loss of one. A log with another
  ///     number of copies is refused.
  /// - Returns: an engine for one ``SharedStore``.
  public func log(_ name: String, copies: Int) -> NATSLog {
    NATSLog(nats: self, name: name, copies: copies)
  }

  /// The connection; another one where that was closed.
  func connection() throws(LogError) -> Connection {
    try current.withLock { connection throws(LogError) in
      if natsConnection_IsClosed(connection.pointer) { connection = try Connection(to: servers) }
      return connection
    }
  }
}

/// A connection of the C client, which goes with its last user.
final class Connection: Sendable {
  // Sound: the client's functions may be called from any thread, and these two are set once.
  nonisolated(unsafe) let pointer: OpaquePointer
  nonisolated(unsafe) let stream: OpaquePointer

  init(to servers: [String]) throws(LogError) {
    var options: OpaquePointer?
    try check(natsOptions_Create(&options))
    defer { natsOptions_Destroy(options) }
    try withCStrings(servers) { natsOptions_SetServers(options, $0, Int32(servers.count)) }
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

  /// The servers' reason for refusing the connection; nil if they did not.
  var refusal: String? {
    var words: UnsafePointer<CChar>?
    let status = natsConnection_GetLastError(pointer, &words)
    let isRefused = status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED
    return isRefused ? "NATS: " + (words.map { String(cString: $0) } ?? text(of: status)) : nil
  }
}

private func withCStrings(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>?) -> natsStatus
) throws(LogError) {
  var copies: [UnsafePointer<CChar>?] = strings.map { UnsafePointer(strdup($0)) }
  defer { for copy in copies { free(UnsafeMutablePointer(mutating: copy)) } }
  let status = copies.withUnsafeMutableBufferPointer { body($0.baseAddress) }
  try check(status)
}
