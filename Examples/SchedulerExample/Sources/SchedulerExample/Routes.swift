import Foundation
import Glue
import GlueJournal
import GlueProcesses
import Hummingbird
import Logging
import ServiceLifecycle

/// A job as users see it.
struct JobStatus: ResponseCodable, Equatable {
  var name: String
  var isRunning: Bool
  var next: Date?
  var last: Outcome?

  /// In one line.
  var line: String {
    let state = isRunning ? "runs" : next.map { "next at \($0.ISO8601Format())" } ?? "on demand"
    let end =
      switch last?.end {
      case .exited(let status): "ended with status \(status)"
      case .signaled(let number): "ended by signal \(number)"
      case .timedOut: "took too long"
      case nil: last?.failure ?? "has not run"
      }
    return "\(name): \(state); \(end)"
  }
}

extension Schedule {
  var statuses: [JobStatus] {
    jobs.sorted { $0.key < $1.key }.map { name, job in
      JobStatus(name: name, isRunning: job.run != nil, next: job.next, last: job.last)
    }
  }
}

/// Makes the server: `GET /jobs`, `POST /jobs/NAME`, and `GET /events`, a line of JSON for each change.
func server(
  of scheduler: Scheduler, port: Int, _ logger: Logger,
  listens: @escaping @Sendable (Int) -> Void
) -> some ApplicationProtocol {
  let store = scheduler.store
  let router = Router()
  router.get("/health") { _, _ in
    await store.delivered()
    try await scheduler.journal.synced()
    return HTTPResponse.Status.ok
  }
  router.get("/jobs") { _, _ in store.state.statuses }
  router.post("/jobs/:name") { request, context in
    // A browser names the page that asks, and no page may start jobs.
    if let origin = request.headers[.origin] {
      throw HTTPError(.forbidden, message: "A page of \(origin) can't start jobs.")
    }
    let name = try context.parameters.require("name")
    guard store.state.jobs[name] != nil else {
      throw HTTPError(.notFound, message: "There is no job \"\(name)\".")
    }
    try await scheduler.start(name)
    return HTTPResponse.Status.accepted
  }
  router.get("/events") { request, _ in
    Response(
      status: .ok, headers: [.contentType: "application/x-ndjson"],
      body: ResponseBody { writer in
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          for await jobs in store.values(of: \.statuses).cancelOnGracefulShutdown() {
            let line = try encoder.encode(jobs) + Data("\n".utf8)
            try await writer.write(ByteBuffer(bytes: line))
          }
        }
        try await writer.finish(nil)
      })
  }
  return Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
    onServerRunning: { listens($0.localAddress?.port ?? 0) }, logger: logger)
}
