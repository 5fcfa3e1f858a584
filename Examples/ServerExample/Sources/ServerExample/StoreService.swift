import Glue
import Logging
import ServiceLifecycle

/// Ends the store at a graceful shutdown, when the services that use it have ended.
struct StoreService: Service {
  let store: Store<TodoList>
  let limit: Duration
  let logger: Logger

  func run() async {
    try? await gracefulShutdown()
    for work in await store.shutdown(finishing: limit / 2, within: limit) {
      logger.warning("not ended", metadata: ["what": "\(work)"])
    }
  }
}
