import Foundation
import NIOCore
import Testing

@testable import ServerExample

/// A connection to the server, which sends and reads on request.
final class Client {
  let socket: Int32
  private var unread: [UInt8] = []

  /// Connects.
  ///
  /// - Parameters:
  ///   - port: where the server listens, on the loopback.
  ///   - receiving: the size of the kernel's receive buffer; nil for the system's default.
  /// - Throws: `ConnectionEnded`, if there is no server.
  init(_ port: UInt16, receiving: Int32? = nil) throws {
    socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var size = receiving {
      setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    let address = try SocketAddress(ipAddress: "127.0.0.1", port: Int(port))
    let result = address.withSockAddr { connect(socket, $0, socklen_t($1)) }
    if result != 0 { throw ConnectionEnded() }
  }

  deinit {
    close(socket)
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  /// Sends a request, with the headers that a program sends.
  func request(
    _ path: String, _ method: String = "GET", body: String? = nil, headers: [String: String] = [:]
  ) {
    var all = ["Host": "localhost"]
    if let body {
      all.merge(["Content-Type": "application/json", "Content-Length": "\(body.utf8.count)"]) { $1 }
    }
    all.merge(headers) { $1 }
    let lines = all.map { "\($0): \($1)\r\n" }.joined()
    send("\(method) \(path) HTTP/1.1\r\n\(lines)\r\n\(body ?? "")")
  }

  /// Sends a byte and then waits a moment for an answer, until the server closes the connection.
  func trickleUntilClosed() {
    var patience = timeval(tv_sec: 0, tv_usec: 20_000)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var byte: UInt8 = 0
    repeat { send("a") } while recv(socket, &byte, 1, 0) < 0 && errno == EAGAIN
  }

  struct Answer {
    let status: Int
    let headers: [String: String]
    var body = ""
  }

  /// Reads the head of an answer.
  func head() throws -> Answer {
    guard let text = text(upTo: "\r\n\r\n") else { throw ConnectionEnded() }
    let lines = text.components(separatedBy: "\r\n")
    let fields = lines.dropFirst().compactMap { line -> (String, String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (line[..<colon].lowercased(), String(line[colon...].dropFirst(2)))
    }
    let status = try #require(Int(lines[0].split(separator: " ")[1]))
    return Answer(status: status, headers: Dictionary(fields) { $1 })
  }

  /// Reads an answer of known length.
  func answer() throws -> Answer {
    var answer = try head()
    let length = Int(answer.headers["content-length"] ?? "") ?? 0
    guard let body = bytes(length) else { throw ConnectionEnded() }
    answer.body = String(decoding: body, as: UTF8.self)
    return answer
  }

  /// Reads the next event of a stream whose head was read; nil at its end.
  func event() -> String? {
    guard let line = text(upTo: "\r\n"), let size = Int(line, radix: 16), size > 0,
      let chunk = bytes(size + 2)
    else { return nil }
    return String(decoding: chunk.dropLast(2), as: UTF8.self)
  }

  /// Reads events until the list satisfies a condition; false if the stream ends before.
  func list(until isRight: (TodoList) -> Bool) throws -> Bool {
    while let event = event() {
      let json = try #require(event.components(separatedBy: "data: ").last)
      if isRight(try decode(TodoList.self, from: Data(json.utf8))) { return true }
    }
    return false
  }

  private func bytes(_ count: Int) -> [UInt8]? {
    while unread.count < count { if !receive() { return nil } }
    defer { unread.removeFirst(count) }
    return Array(unread.prefix(count))
  }

  private func text(upTo end: String) -> String? {
    while true {
      if let range = unread.firstRange(of: Array(end.utf8)) {
        defer { unread.removeSubrange(..<range.upperBound) }
        return String(decoding: unread[..<range.lowerBound], as: UTF8.self)
      }
      if !receive() { return nil }
    }
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &buffer, buffer.count, 0)
    if count > 0 { unread += buffer[..<count] }
    return count > 0
  }
}

/// No server runs, or it has closed the connection.
struct ConnectionEnded: Error {}

extension RunningServer {
  /// Sends a request on a connection of its own.
  func answer(
    _ path: String, _ method: String = "GET", body: String? = nil
  ) throws -> Client.Answer {
    let client = try Client(port)
    client.request(path, method, body: body)
    return try client.answer()
  }

  /// Adds a to-do, and returns its id.
  @discardableResult
  func add(_ title: String) throws -> String {
    let answer = try answer("/todos", "POST", body: #"{"title": "\#(title)"}"#)
    #expect(answer.status == 201, "\(answer)")
    return try decode(Todo.self, from: Data(answer.body.utf8)).id
  }

  func edit(_ id: String, _ json: String) throws {
    let answer = try answer("/todos/\(id)", "PATCH", body: json)
    #expect(answer.status == 200, "\(answer)")
  }

  /// A client that listens, whose first event is still to be read.
  func listener(receiving: Int32? = nil) throws -> Client {
    let client = try Client(port, receiving: receiving)
    client.request("/events")
    #expect(try client.head().headers["content-type"] == "text/event-stream")
    return client
  }
}
