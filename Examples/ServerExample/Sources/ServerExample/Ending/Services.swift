import Glue
import GlueJournal
import Logging
import ServiceLifecycle

/// Starts what the last process left to do, and ends the store when nobody uses it any more.
struct StoreService: Service {
  let store: Store<TaskList>
  let limit: Duration
  let logger: Logger

  func run() async {
    store.resume()
    try? await gracefulShutdown()
    for line in await store.shutdown(finishing: limit / 2, within: limit) {
      logger.warning("not ended", metadata: ["what": "\(line)"])
    }
  }
}

/// Runs the server, and ends it within a time, whatever its clients and their requests do.
struct ServerService: Service {
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
