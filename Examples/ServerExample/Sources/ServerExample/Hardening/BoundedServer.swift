import Foundation
import Logging
import NIOCore
import ServiceLifecycle

/// Runs the server, and ends it within a time, whatever its clients and their requests do.
struct BoundedServer: Service {
  let server: any Service
  let connections: Connections
  let limit: Duration
  let logger: Logger

  func run() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
    let task = Task {
      do { end.yield(.success(try await server.run())) } catch { end.yield(.failure(error)) }
    }
    defer { task.cancel() }
    try await withGracefulShutdownHandler {
      for await result in ends { return try result.get() }
    } onGracefulShutdown: {
      Task {
        try? await Task.sleep(for: limit / 2)
        for request in connections.close() {
          logger.warning("not ended", metadata: ["what": "\(request)"])
        }
        try? await Task.sleep(for: limit / 2)
        end.yield(.success(()))
      }
    }
  }
}

/// Runs a server, and names its address if it cannot listen there.
func naming(_ address: String, run: () async throws -> Void) async throws {
  do {
    try await run()
  } catch let error as IOError {
    throw CannotListen(address: address, error: error)
  }
}

private struct CannotListen: Error, CustomStringConvertible {
  let address: String
  let error: IOError

  var description: String {
    error.errnoCode == EADDRINUSE
      ? "Cannot listen on \(address), where another program listens. Choose another --port."
      : "Cannot listen on \(address): \(error)."
  }
}
