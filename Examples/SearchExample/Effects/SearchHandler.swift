import Foundation
import Glue

/// Searches files, and reports until that is done or cancelled.
struct SearchHandler: AsyncEffectHandler {
  /// How long to wait between two reports: a scan finds files faster than anybody can read.
  static let interval = Duration.milliseconds(50)

  func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
    let scan = Scan(of: effect.directory, for: Pattern(effect.text.utf8))
    let findings = Findings()
    await withTaskGroup { group in
      group.addTask {
        while (try? await Task.sleep(for: SearchHandler.interval)) != nil {
          dispatch(SearchIntent.report(findings.takeReport(of: scan)))
        }
      }
      await run(scan, findings)
      group.cancelAll()
    }
    dispatch(SearchIntent.finish(findings.takeReport(of: scan)))
  }

  /// Runs a scan on a thread of its own, for it blocks: tasks share few threads.
  private func run(_ scan: Scan, _ findings: Findings) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          scan.run { MatchCollector(findings: findings) }
          continuation.resume()
        }
      }
    } onCancel: {
      scan.cancel()
    }
  }
}
