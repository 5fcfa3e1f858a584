import Foundation
import Glue

/// Searches files, and reports until it has finished or is canceled.
struct SearchHandler: AsyncEffectHandler {
  func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
    let search = RunningSearch(effect)
    await withTaskGroup { group in
      group.addTask {
        // Files are found faster than a person can read.
        while (try? await Task.sleep(for: .milliseconds(50))) != nil {
          dispatch(SearchIntent.report(search.takeReport()))
        }
      }
      await search.run()
      group.cancelAll()
    }
    dispatch(SearchIntent.finish(search.takeReport()))
  }
}

/// One search, and the findings of its threads since the last report.
private final class RunningSearch: Sendable {
  private let walk: Walk
  private let pattern: [UInt8]
  private let report = LockedBox(Report())

  init(_ effect: SearchEffect) {
    walk = Walk(from: effect.directory)
    pattern = Array(effect.text.utf8)
  }

  /// Searches on a thread of its own, because that blocks, and tasks share few threads.
  func run() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { [self] in
          walk.run(visit: search) { [report] _, _ in
            report.withLock { $0.progress.failures += 1 }
          }
          continuation.resume()
        }
      }
    } onCancel: {
      walk.cancel()
    }
  }

  /// Takes the findings to report; the counts stay.
  func takeReport() -> Report {
    report.withLock { report in
      defer { report.matches = [] }
      report.progress.filesKnown = walk.filesKnown
      return report
    }
  }

  @Sendable private func search(_ file: Path) throws(SystemError) {
    defer { report.withLock { $0.progress.filesDone += 1 } }
    let isText = try searchFile(file, for: pattern, unless: { walk.isCancelled }) { line in
      report.withLock {
        $0.progress.matches += 1
        if $0.progress.matches <= Results.limit { $0.matches.append(Match(line, in: file)) }
      }
    }
    if !isText { report.withLock { $0.progress.binaries += 1 } }
  }
}

extension Match {
  /// Keeps at most 400 bytes of the line, from 60 before the match on.
  fileprivate init(_ line: FoundLine, in file: Path) {
    var text = line.text[max(0, line.match - 60)...].prefix(400)
    if text.startIndex > 0 { text = text.drop { $0 & 0xC0 == 0x80 } }  // Not within a character.
    let before = text.startIndex > 0 ? "…" : ""
    let after = text.endIndex < line.text.endIndex ? "…" : ""
    self.init(file: file, line: line.number, text: Array(before.utf8) + text + after.utf8)
  }
}
