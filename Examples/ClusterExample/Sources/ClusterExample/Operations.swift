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
    let level: Logger.Level =
      switch event {
      case .linkBack, .ownerChanged, .upgraded: .notice
      case .linkLost, .behind, .snapshotFailed: .warning
      case .cannotDo, .differs, .labelInUse, .logWentBack, .notHandedOver, .resultNotSent, .stopped:
        .error
      }
    log(level: level, "\(event)")
  }
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

  /// A server that answers `GET /health` with 200 if this replica follows the log, else with 503.
  func healthServer(port: UInt16) async -> HTTPServer {
    let server = HTTPServer(address: .inet(port: port), logger: .disabled)
    await server.appendRoute("GET /health") { _ in
      let status = self.status
      // The reason for a lost link may name addresses, so it goes to the log alone.
      let text = "position \(status.position), \(status.lag) behind, version \(status.version)\n"
      return HTTPResponse(
        statusCode: status.link == .live ? .ok : .serviceUnavailable, body: Data(text.utf8))
    }
    return server
  }
}
