import Logging
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose next request has not arrived whole, head and body, within a time.
///
/// The time starts when the connection opens, and again when an answer ends, so it also bounds how
/// long a connection stays idle. It does not run while the server answers: a stream of events takes
/// as long as it likes. What the client sends meanwhile does not extend it.
final class ReceiveDeadline: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart

  private let limit: TimeAmount
  private let logger: Logger
  private var deadline: Scheduled<Void>?

  /// How many requests have arrived whole and are not answered; -1 while a request that is answered
  /// already still arrives.
  private var answering = 0

  init(within limit: TimeAmount, logger: Logger) {
    self.limit = limit
    self.logger = logger
  }

  func handlerAdded(context: ChannelHandlerContext) { start(context) }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) {
      deadline?.cancel()
      answering += 1
      if answering == 0 { start(context) }
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      answering -= 1
      if answering == 0 { start(context) }
    }
    context.write(data, promise: promise)
  }

  private func start(_ context: ChannelHandlerContext) {
    deadline = context.eventLoop.scheduleTask(in: limit) { [channel = context.channel, logger] in
      logger.info("closing a connection that has sent no whole request in time")
      channel.close(promise: nil)
    }
  }
}
