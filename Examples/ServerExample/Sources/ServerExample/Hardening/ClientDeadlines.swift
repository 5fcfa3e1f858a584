import HTTPTypes
import Logging
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose client sends or reads too slowly, and one that is open too long after
/// the server has begun to end.
///
/// - The time to send a whole request, head and body, starts when the connection opens, and again
///   when an answer ends. So it also bounds how long a connection stays idle. It does not run while
///   the server answers: an event stream has no limit.
/// - The time to read starts when more waits for the client than NIO buffers, and ends when most of
///   it is sent.
final class ClientDeadlines: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart

  private let limits: Limits
  private let endWithin: Duration
  private let logger: Logger
  private var sending, reading, ending: Scheduled<Void>?
  private var request = ""

  /// How many requests have arrived whole and are not answered; -1 while a request that is answered
  /// already still arrives.
  private var answering = 0

  init(_ limits: Limits, endWithin: Duration, logger: Logger) {
    (self.limits, self.endWithin, self.logger) = (limits, endWithin, logger)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    // The kernel keeps little for a slow client, so what it reads late is not old.
    _ = context.channel.setOption(.socketOption(.so_sndbuf), value: 65_536)
    _ = context.channel.setOption(.socketOption(.so_keepalive), value: 1)
    startSending(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    for deadline in [sending, reading, ending] { deadline?.cancel() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): request = "\(head.method) \(head.path ?? "")"
    case .body: break
    case .end:
      sending?.cancel()
      answering += 1
      if answering == 0 { startSending(context) }
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      answering -= 1
      if answering == 0 { startSending(context) }
    }
    context.write(data, promise: promise)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    reading?.cancel()
    if !context.channel.isWritable {
      reading = close(
        context, after: limits.writeWithin, .notice, "closing a client that does not read")
    }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      ending = close(context, after: endWithin, .warning, "not ended", ["what": "\(request)"])
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func startSending(_ context: ChannelHandlerContext) {
    sending = close(
      context, after: limits.receiveWithin, .info, "closing an idle or slowly sending client")
  }

  private func close(
    _ context: ChannelHandlerContext, after time: Duration, _ level: Logger.Level,
    _ reason: Logger.Message, _ metadata: Logger.Metadata = [:]
  ) -> Scheduled<Void> {
    context.eventLoop.scheduleTask(in: TimeAmount(time)) { [channel = context.channel, logger] in
      logger.log(level: level, reason, metadata: metadata)
      channel.close(promise: nil)
    }
  }
}
