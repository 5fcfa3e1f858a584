#if NATS
  import CGlueNATS
  import Foundation
  public import GlueCluster
  import Synchronization

  /// Servers of NATS with JetStream, which keep logs.
  ///
  ///     let nats = try NATS(["nats://a:4222", "nats://b:4222", "nats://c:4222"])
  ///     let log = nats.log("counter", copies: 3)    // try await log.make(), once
  ///
  /// All logs of one value share a connection, which is made when it is needed, and anew after it was
  /// lost. Each connection is a session: the client's own way to reconnect is not used, because an
  /// append could then reach a server that was restored meanwhile.
  public final class NATS: Sendable {
    private let servers: [String]
    private let link = Mutex<Link?>(nil)
    private let connecting = DispatchQueue(label: "NATSLog.connecting")

    /// Makes it, without connecting.
    ///
    /// - Parameter servers: such as `nats://127.0.0.1:4222`. Any that answers will do.
    /// - Throws: ``/GlueCluster/LogError/refused(_:)`` if an address is no address.
    public init(_ servers: [String]) throws(LogError) {
      for (number, server) in servers.enumerated() where !server.contains("://") {
        // It may have a password, so it isn't shown.
        throw .refused(
          "Address \(number + 1) is no address of NATS, such as nats://127.0.0.1:4222.")
      }
      self.servers = servers
    }

    /// A log of a name.
    ///
    /// - Parameters:
    ///   - name: of the stream, and of the bucket for its snapshots: 1 to 200 letters of ASCII, digits,
    ///     `-` and `_`.
    ///   - copies: on how many servers the log is kept; 3 stand the loss of one. A log with another
    ///     number of copies is refused.
    /// - Returns: an engine for one ``/GlueCluster/SharedStore``.
    public func log(_ name: String, copies: Int) -> NATSLog {
      guard NATSLog.canBeNamed(name) else {
        fatalError(
          """
          NATSLog: "\(name)" can't be the name of a log.
            Wrong: nats.log("a.b", copies: 1)
            Right: nats.log("a-b", copies: 1): 1 to 200 letters of ASCII, digits, - and _
          """)
      }
      return NATSLog(nats: self, name: name, copies: copies)
    }

    /// The connection, or a new one if it is closed; all calls that wait for that share its failure.
    func connection(until end: ContinuousClock.Instant) throws(LogError) -> Connection {
      let link = link.withLock { link in
        if let link, link.isUsable { return link }
        let new = Link()
        connecting.async { [servers] in new.connect(to: servers) }
        link = new
        return new
      }
      return try link.connection(until: end)
    }
  }

  /// A connection that is being made, that was made, or that couldn't be made.
  private final class Link: Sendable {
    private let result = Mutex<Result<Connection, LogError>?>(nil)
    private let isDecided = DispatchGroup()

    init() { isDecided.enter() }

    var isUsable: Bool {
      result.withLock { result in
        switch result {
        case nil: true
        case .success(let connection): !natsConnection_IsClosed(connection.pointer)
        case .failure: false
        }
      }
    }

    func connect(to servers: [String]) {
      let new = Result { () throws(LogError) in try Connection(to: servers) }
      result.withLock { $0 = new }
      isDecided.leave()
    }

    func connection(until end: ContinuousClock.Instant) throws(LogError) -> Connection {
      _ = isDecided.wait(timeout: .now() + .milliseconds(Int(end.milliseconds)))
      guard let result = result.withLock({ $0 }) else { throw .cut("NATS: no connection in time") }
      return try result.get()
    }
  }

  /// A connection of the C client, which goes with its last user.
  final class Connection: Sendable {
    // Sound: the client's functions may be called from any thread, and these two are set once.
    nonisolated(unsafe) let pointer: OpaquePointer
    nonisolated(unsafe) let stream: OpaquePointer

    /// Identifies it.
    let session = UUID().uuidString

    private let ending = DispatchQueue(label: "NATSLog.ending")
    private let ended = Mutex<[UInt]>([])

    init(to servers: [String]) throws(LogError) {
      var options: OpaquePointer?
      try check(natsOptions_Create(&options))
      defer { natsOptions_Destroy(options) }
      try withCStrings(servers) { natsOptions_SetServers(options, $0, Int32(servers.count)) }
      natsOptions_SetTimeout(options, 1_000)
      natsOptions_SetAllowReconnect(options, false)
      natsOptions_SetPingInterval(options, 1_000)
      natsOptions_SetMaxPingsOut(options, 2)
      var connection: OpaquePointer?
      let status = natsConnection_Connect(&connection, options)
      // The client's text may show addresses with their passwords, except where they are refused.
      if status == NATS_CONNECTION_AUTH_FAILED, let words = nats_GetLastError(nil) {
        throw .cut("NATS: " + String(cString: words))
      }
      try check(status)
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
      nonisolated(unsafe) let (pointer, stream) = (pointer, stream)
      let ended = ended.withLock { $0 }
      // It waits for the client's threads.
      ending.async {
        jsCtx_Destroy(stream)
        natsConnection_Destroy(pointer)
        for subscription in ended {
          natsSubscription_Destroy(OpaquePointer(bitPattern: subscription))
        }
      }
    }

    /// Ends a wait for a subscription's messages.
    func interrupt(_ subscription: UInt) {
      ending.async { [self] in unsubscribe(subscription) }
    }

    /// Ends a subscription that isn't used anymore.
    ///
    /// The client of 3.4.1 keeps no reference to a subscription while it takes a message in for it. So
    /// one that has ended is destroyed after a ping, whose answer comes after all that was on its way,
    /// or after the connection.
    func end(_ subscription: UInt) {
      ending.async { [self] in
        unsubscribe(subscription)
        ended.withLock { $0.append(subscription) }
        guard natsConnection_FlushTimeout(pointer, 1_000) == NATS_OK else { return }
        for subscription in ended.withLock({ ended in
          defer { ended = [] }; return ended
        }) {
          natsSubscription_Destroy(OpaquePointer(bitPattern: subscription))
        }
      }
    }

    private func unsubscribe(_ subscription: UInt) {
      natsSubscription_Unsubscribe(OpaquePointer(bitPattern: subscription))
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
#endif
