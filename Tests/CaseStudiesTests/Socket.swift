import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The web socket")
struct SocketTests {
  private func connection(_ attempt: Int) -> LastingEffect {
    SocketEffect.connect(attempt: attempt).lasting(id: "socket")
  }

  private func makeTest() -> TestStore<Socket> {
    let test = TestStore(state: Socket(), reducer: socket, lasting: connecting)
    test.add(effectHandler: Connecting(server: EchoServer(), clock: test.clock))
    return test
  }

  @Test("sends and receives while it is open, and not afterward")
  func echo() async {
    let test = makeTest()
    await test.send(SocketIntent.toggle, began: [connection(0)]) { $0.isWanted = true }
    await test.receive(SocketIntent.opened) { $0.isOpen = true }
    await test.send(SocketIntent.send("hello"), effects: [SocketEffect.send("hello")])
    await test.receive(SocketIntent.received("hello")) { $0.lines = ["hello"] }
    await test.send(SocketIntent.toggle, ceased: [connection(0)]) {
      $0.isWanted = false
      $0.isOpen = false
    }
    await test.send(SocketIntent.send("late")) { $0.lines = ["hello", "not sent: late"] }
    await test.finish()
  }

  @Test("connects again after a second when the server has closed it")
  func again() async {
    let test = makeTest()
    await test.send(SocketIntent.toggle, began: [connection(0)]) { $0.isWanted = true }
    await test.receive(SocketIntent.opened) { $0.isOpen = true }
    await test.send(SocketIntent.send("bye"), effects: [SocketEffect.send("bye")])
    await test.receive(SocketIntent.received("bye")) { $0.lines = ["bye"] }
    await test.receive(SocketIntent.closed, began: [connection(1)], ceased: [connection(0)]) {
      $0.isOpen = false
      $0.attempt = 1
    }
    await test.clock.advance(by: .seconds(1))
    await test.receive(SocketIntent.opened) { $0.isOpen = true }
    await test.finish()
  }
}
