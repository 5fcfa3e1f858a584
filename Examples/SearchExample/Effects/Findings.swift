import TerminalSupport

/// What the threads of a scan have found since it was last reported.
final class Findings: Sendable {
  private struct Contents {
    var report = Report()
    var room = Results.limit
  }

  private let contents = Locked(Contents())

  /// Takes what there is to report; what is counted stays.
  func takeReport(of scan: Scan) -> Report {
    let filesKnown = scan.filesKnown
    return contents.withLock { contents in
      defer { contents.report.matches = [] }
      contents.report.progress.filesKnown = filesKnown
      return contents.report
    }
  }

  /// Counts a match, and keeps it if there is room.
  func add(_ match: () -> Match) {
    contents.withLock {
      $0.report.progress.matches += 1
      if $0.room == 0 { return }
      $0.room -= 1
      $0.report.matches.append(match())
    }
  }

  func update(_ change: (inout Progress) -> Void) {
    contents.withLock { change(&$0.report.progress) }
  }
}

/// Hands over what one thread of a scan finds.
struct MatchCollector: FileVisitor {
  let findings: Findings

  func found(_ line: FoundLine, in file: Path) {
    findings.add { Match(line, in: file) }
  }

  func finished(_ file: Path, _ outcome: FileSearcher.Outcome) {
    findings.update {
      $0.filesDone += 1
      if outcome == .binary { $0.binaries += 1 }
    }
  }

  func failed(_ path: Path, _ error: SystemError) {
    findings.update { $0.failures += 1 }
  }
}

extension Match {
  /// Keeps at most 400 bytes of the line, from 60 before the match on.
  fileprivate init(_ line: FoundLine, in file: Path) {
    var text = line.text[max(0, line.match - 60)...].prefix(400)
    if text.startIndex > 0 { text = text.drop { $0 & 0xC0 == 0x80 } }  // Not within a character.
    self.init(
      file: file, line: line.number, text: Array(text),
      isCutBefore: text.startIndex > 0 || line.isLong,
      isCutAfter: text.endIndex < line.text.endIndex || line.isLong)
  }
}
