import Foundation
import Glue
import TerminalSupport

/// Searches files, and reports until that is done or cancelled.
struct SearchHandler: AsyncEffectHandler {
  /// How long to wait between two reports: files are found faster than anybody can read.
  static let interval = Duration.milliseconds(50)

  func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
    let search = RunningSearch(effect)
    await withTaskGroup { group in
      group.addTask {
        while (try? await Task.sleep(for: SearchHandler.interval)) != nil {
          dispatch(SearchIntent.report(search.takeReport()))
        }
      }
      await search.run()
      group.cancelAll()
    }
    dispatch(SearchIntent.finish(search.takeReport()))
  }
}

/// One search, and what its threads have found since it was last reported.
private final class RunningSearch: Sendable {
  private let walk: Walk
  private let pattern: [UInt8]
  private let report = Locked(Report())

  init(_ effect: SearchEffect) {
    walk = Walk(from: effect.directory)
    pattern = Array(effect.text.utf8)
  }

  /// Searches on a thread of its own, for that blocks: tasks share few threads.
  func run() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { [self] in
          walk.run(
            visit: { self.search($0) }, failed: { _, _ in self.update { $0.failures += 1 } })
          continuation.resume()
        }
      }
    } onCancel: {
      walk.cancel()
    }
  }

  /// Takes what there is to report; what is counted stays.
  func takeReport() -> Report {
    let filesKnown = walk.filesKnown
    return report.withLock { report in
      defer { report.matches = [] }
      report.progress.filesKnown = filesKnown
      return report
    }
  }

  private func search(_ file: Path) {
    do throws(SystemError) {
      let isText = try searchFile(file, for: pattern, unless: { walk.isCancelled }) {
        add($0, in: file)
      }
      if !isText { update { $0.binaries += 1 } }
    } catch {
      update { $0.failures += 1 }
    }
    update { $0.filesDone += 1 }
  }

  private func update(_ change: (inout Progress) -> Void) {
    report.withLock { change(&$0.progress) }
  }

  /// Counts a match, and keeps it if there is room.
  private func add(_ line: FoundLine, in file: Path) {
    report.withLock {
      $0.progress.matches += 1
      if $0.progress.matches <= Results.limit { $0.matches.append(Match(line, in: file)) }
    }
  }
}

extension Match {
  /// Keeps at most 400 bytes of the line, from 60 before the match on.
  fileprivate init(_ line: FoundLine, in file: Path) {
    var text = line.text[max(0, line.match - 60)...].prefix(400)
    if text.startIndex > 0 { text = text.drop { $0 & 0xC0 == 0x80 } }  // Not within a character.
    self.init(
      file: file, line: line.number, text: Array(text), isCutBefore: text.startIndex > 0,
      isCutAfter: text.endIndex < line.text.endIndex)
  }
}
