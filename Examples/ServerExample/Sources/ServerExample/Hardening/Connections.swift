import HTTPTypes
import Logging
import NIOCore
import NIOHTTPTypes
import Synchronization

/// The connections that are open, and what each is asked for.
final class Connections: Sendable {
  private struct Open {
    let channel: any Channel
    var request: String?
  }

  private let open = Mutex<[ObjectIdentifier: Open]>([:])

  fileprivate func add(_ channel: any Channel) {
    open.withLock { $0[ObjectIdentifier(channel)] = Open(channel: channel) }
    channel.closeFuture.whenComplete { [weak self] _ in
      _ = self?.open.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }
    }
  }

  fileprivate func note(_ request: String, of channel: any Channel) {
    open.withLock { $0[ObjectIdentifier(channel)]?.request = request }
  }

  /// Closes all of them at once, whatever they are waiting for.
  ///
  /// - Returns: what they were asked for last.
  func close() -> [String] {
    let open = self.open.withLock { Array($0.values) }
    for connection in open { connection.channel.close(promise: nil) }
    return open.map { $0.request ?? "a connection without a request" }
  }
}

/// Closes a connection whose client takes too long to read, and keeps little for it in the kernel.
///
/// What a slow client has not read is then old at most by what these few bytes hold.
final class Connection: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart

  private let connections: Connections
  private let limit: TimeAmount
  private let logger: Logger

  init(in connections: Connections, writeWithin limit: TimeAmount, logger: Logger) {
    self.connections = connections
    self.limit = limit
    self.logger = logger
  }

  func handlerAdded(context: ChannelHandlerContext) {
    connections.add(context.channel)
    _ = context.channel.setOption(.socketOption(.so_sndbuf), value: 65_536)
    _ = context.channel.setOption(.socketOption(.so_keepalive), value: 1)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data) {
      connections.note("\(head.method) \(head.path ?? "")", of: context.channel)
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let written = promise ?? context.eventLoop.makePromise()
    let deadline = context.eventLoop.scheduleTask(in: limit) {
      [channel = context.channel, logger] in
      logger.notice("closing a client that does not read")
      channel.close(promise: nil)
    }
    written.futureResult.whenComplete { _ in deadline.cancel() }
    context.write(data, promise: written)
  }
}
