import FlyingFox
import FlyingSocks
import Foundation
import Glue
import GlueCluster
import Logging
import Metrics

extension Logger {
  /// Logs what a replica reports: hand it to `report:`.
  @Sendable func report(_ event: SharedStoreEvent) {
    log(level: Level(rawValue: event.severity.rawValue)!, "\(event)")
  }
}

extension SharedStoreStatus {
  /// Whether this replica follows the log, is not too far behind, and can append.
  func isHealthy(lag most: Int) -> Bool { link == .live && lag <= most && appendFailure == nil }
}

extension SharedStore {
  /// Sets gauges whenever the status changes, until the subscription is canceled.
  func measure(
    as replica: String, by factory: any MetricsFactory = MetricsSystem.factory
  ) -> Subscription {
    func gauge(_ name: String) -> Gauge {
      Gauge(label: "glue_\(name)", dimensions: [("replica", replica)], factory: factory)
    }
    let (position, lag) = (gauge("position"), gauge("lag"))
    let (version, owner) = (gauge("version"), gauge("is_owner"))
    return store.subscribe(selector: \.status) { status in
      position.record(status.position)
      lag.record(status.lag)
      version.record(status.version)
      owner.record(status.owner == replica ? 1 : 0)
    }
  }

  /// A server that answers `GET /health` with 200 if this replica is healthy, else with 503.
  ///
  /// - Parameters:
  ///   - port: where it listens.
  ///   - lag: the most entries that a healthy replica may have yet to reduce.
  /// - Returns: a server that is yet to run.
  func healthServer(port: UInt16, lag: Int = 1_000) async -> HTTPServer {
    let server = HTTPServer(address: .inet(port: port), logger: .disabled)
    await server.appendRoute("GET /health") { _ in
      let status = self.status
      let isHealthy = status.isHealthy(lag: lag)
      // The reasons of failures may name addresses, so they go to the log alone.
      let text = "position \(status.position), \(status.lag) behind, version \(status.version)\n"
      return HTTPResponse(
        statusCode: isHealthy ? .ok : .serviceUnavailable, body: Data(text.utf8))
    }
    return server
  }
}
