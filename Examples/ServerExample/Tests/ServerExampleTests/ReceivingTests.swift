import ArgumentParser
import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import ServerExample

/// The deadline is tested on a loop whose time the test advances, and then in the program.
@Suite(.serialized) struct ReceivingTests {
  private let loop = EmbeddedEventLoop()
  private let channel: EmbeddedChannel

  init() throws {
    let deadlines = ClientDeadlines(
      try Limits.parse(["--receive-within", "30"]), endWithin: .seconds(4), logger: silent)
    channel = EmbeddedChannel(handler: deadlines, loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
  }

  private func receive(_ parts: HTTPRequestPart...) throws {
    for part in parts { try channel.writeInbound(part) }
  }

  private func answer(_ parts: HTTPResponsePart...) throws {
    for part in parts { try channel.writeOutbound(part) }
  }

  private var head: HTTPRequestPart {
    .head(HTTPRequest(method: .post, scheme: nil, authority: "localhost", path: "/todos"))
  }
  private let byte = HTTPRequestPart.body(ByteBuffer(string: "{"))
  private let ok = HTTPResponsePart.head(HTTPResponse(status: .ok))

  @Test func aBodyThatComesAByteEachFiveSecondsIsClosedAtTheDeadline() throws {
    try receive(head)
    for _ in 1...5 {
      loop.advanceTime(by: .seconds(5))
      try receive(byte)
    }
    loop.advanceTime(by: .milliseconds(4_999))
    #expect(channel.isActive)
    loop.advanceTime(by: .milliseconds(1))
    #expect(!channel.isActive)
  }

  @Test func headAndBodyHaveOneDeadlineTogether() throws {
    loop.advanceTime(by: .seconds(20))
    try receive(head, byte)
    loop.advanceTime(by: .seconds(10))
    #expect(!channel.isActive)
  }

  @Test func anAnswerTakesAsLongAsItLikesAndTheNextRequestHasAllTheTime() throws {
    for _ in 1...3 {
      loop.advanceTime(by: .seconds(29))
      try receive(head, byte, .end(nil))
      loop.advanceTime(by: .hours(24))
      try answer(ok)
      loop.advanceTime(by: .hours(24))
      try answer(.end(nil))
    }
    loop.advanceTime(by: .seconds(29))
    #expect(channel.isActive)
    loop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func anAnswerThatComesBeforeTheBodyDoesNotExtendItsDeadline() throws {
    try receive(head)
    loop.advanceTime(by: .seconds(20))
    try answer(ok, .end(nil))
    loop.advanceTime(by: .seconds(9))
    try receive(byte, .end(nil))
    loop.advanceTime(by: .seconds(29))
    #expect(channel.isActive)
    try receive(head, byte)
    loop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
  }

  @Test func requestsThatAreAskedTogetherAreAnsweredOneAfterTheOther() throws {
    try receive(head, .end(nil), head, .end(nil))
    try answer(ok, .end(nil))
    loop.advanceTime(by: .hours(1))
    #expect(channel.isActive)
    try answer(ok, .end(nil))
    loop.advanceTime(by: .seconds(30))
    #expect(!channel.isActive)
  }

  @Test func anAnswerThatGoesOnWhenTheServerEndsIsClosedAfterATime() throws {
    try receive(head, .end(nil))
    try answer(ok)
    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    loop.advanceTime(by: .milliseconds(3_999))
    #expect(channel.isActive)
    loop.advanceTime(by: .milliseconds(1))
    #expect(!channel.isActive)
  }

  @Test func clientsThatTrickleHoldNoServerAndAStreamOfEventsStays() throws {
    let server = try RunningServer("--connections", "20", "--receive-within", "0.5")
    let listener = try server.listener()
    let head = "POST /todos HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
    let body = "a\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
    let clients = try (1...19).map { number in
      let client = try Client(server.port)
      client.send(number.isMultiple(of: 2) ? head : head + body)
      return client
    }
    for client in clients { client.trickleUntilClosed() }
    let id = try server.add("one")
    #expect(try listener.list { $0[id] != nil })
  }
}
