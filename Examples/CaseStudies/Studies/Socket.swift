// Web socket: a connection that lasts while it is wanted, and connects again when it is lost.
//
// The connection follows from the state. When the server closes it, the reducer counts an attempt.
// So the effect has another value, and another connection begins, after a pause. One handler
// serves the connection and the messages that are sent through it.

import Glue
import GlueConsole

struct Socket: Equatable, Sendable {
  var isWanted = false
  var isOpen = false
  var attempt = 0
  var lines: [String] = []
}

enum SocketIntent: Intent, Equatable { case toggle, opened, received(String), closed, send(String) }

enum SocketEffect: Effect, Equatable { case connect(attempt: Int), send(String) }

func socket(state: inout Socket, intent: SocketIntent) -> [any Effect] {
  switch intent {
  case .toggle: state = Socket(isWanted: !state.isWanted, lines: state.lines)
  case .opened:
    state.isOpen = true
  case .received(let line): state.lines.append(line)
  case .closed:
    state.isOpen = false
    state.attempt += 1
  case .send(let line):
    if state.isOpen { return [SocketEffect.send(line)] }
    state.lines.append("not sent: \(line)")
  }
  return []
}

func connecting(state: Socket) -> [LastingEffect] {
  state.isWanted ? [SocketEffect.connect(attempt: state.attempt).lasting(id: "socket")] : []
}

/// A server that repeats what it hears, and closes the connection at "bye".
actor EchoServer {
  private var client: AsyncStream<String>.Continuation?

  func connect() -> AsyncStream<String> {
    let (lines, client) = AsyncStream<String>.makeStream()
    self.client = client
    return lines
  }

  func send(_ line: String) {
    client?.yield(line)
    if line == "bye" { client?.finish() }
  }
}

struct Connecting: AsyncEffectHandler {
  let server: EchoServer
  let clock: any Clock<Duration>

  func handle(effect: SocketEffect, dispatch: @escaping DispatchFunc) async {
    switch effect {
    case .send(let line): await server.send(line)
    case .connect(let attempt):
      if attempt > 0 { try? await clock.sleep(for: .seconds(1)) }
      let lines = await server.connect()
      dispatch(SocketIntent.opened)
      for await line in lines { dispatch(SocketIntent.received(line)) }
      dispatch(SocketIntent.closed)
    }
  }
}

let socketStudy = Study(
  "web-socket", "a connection that lasts, and connects again",
  keys: "c: connect, disconnect   h: send hello   b: send bye, which closes",
  store: {
    Store(
      state: Socket(), reducer: socket, lasting: connecting,
      handlers: { handlers in
        handlers.add(effectHandler: Connecting(server: EchoServer(), clock: ContinuousClock()))
      })
  },
  draw: { state in
    let status = state.isOpen ? "open" : state.isWanted ? "connecting" : "closed"
    return ["\(status), \(state.attempt) lost"] + state.lines.suffix(8)
  },
  press: { key, _ in
    switch key {
    case .text("c"): SocketIntent.toggle
    case .text("h"): SocketIntent.send("hello")
    case .text("b"): SocketIntent.send("bye")
    default: nil
    }
  })
