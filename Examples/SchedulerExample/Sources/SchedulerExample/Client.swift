import Foundation

/// Asks a server of this machine, and calls a body with each line of the answer.
///
/// - Throws: the reason, or what the server answered.
func ask(_ port: UInt16, _ method: String, _ path: String, line body: (String) -> Void) throws {
  struct Refusal: Error, CustomStringConvertible { let description: String }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let connection = socket(AF_INET, streams, 0)
  let isConnected = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
  let server = FileHandle(fileDescriptor: connection, closeOnDealloc: true)
  if !isConnected { throw Refusal(description: "no scheduler listens on port \(port)") }
  // HTTP 1.0, whose answers have no chunks.
  try server.write(contentsOf: Data("\(method) \(path) HTTP/1.0\r\nHost: localhost\r\n\r\n".utf8))
  var (rest, status, isBody) = (Data(), "", false)
  func take(_ line: String) {
    if isBody { return body(line) }
    if status.isEmpty { status = line }
    isBody = line.isEmpty
  }
  while let data = try server.read(upToCount: 4_096), !data.isEmpty {
    rest += data
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[..<end]
      take(String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self))
      rest = Data(rest[(end + 1)...])
    }
  }
  if !status.contains(" 2") { throw Refusal(description: status) }
  if !rest.isEmpty { take(String(decoding: rest, as: UTF8.self)) }
}

#if canImport(Glibc)
  private let streams = Int32(SOCK_STREAM.rawValue)
#else
  private let streams = SOCK_STREAM
#endif
