import ServiceLifecycle

/// Runs the server, and abandons it if it has not ended within a time of the graceful shutdown.
struct BoundedServer: Service {
  let server: any Service
  let limit: Duration

  func run() async throws {
    let (end, ending) = AsyncThrowingStream.makeStream(of: Never.self)
    let task = Task {
      do {
        try await server.run()
        ending.finish()
      } catch { ending.finish(throwing: error) }
    }
    defer { task.cancel() }
    try await withGracefulShutdownHandler {
      for try await _ in end {}
    } onGracefulShutdown: {
      Task {
        try? await Task.sleep(for: limit)
        ending.finish()
      }
    }
  }
}
