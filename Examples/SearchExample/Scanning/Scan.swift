import Dispatch
import Foundation
import Synchronization
import TerminalSupport

/// One search through all files below a directory, on all processors.
final class Scan: Sendable {
  private let pattern: Pattern
  private let list: WorkList
  private let isCancelled = Atomic(false)

  init(of directory: Path, for pattern: Pattern) {
    self.pattern = pattern
    list = WorkList(root: directory)
  }

  /// How many files there were to search until now.
  var filesKnown: Int { list.filesKnown }

  /// Searches, and returns when all is done or cancelled.
  ///
  /// It blocks its thread and others, so in asynchronous code it needs a thread of its own.
  ///
  /// - Parameter makeVisitor: makes for each of the threads what is told of its results.
  func run<Visitor: FileVisitor>(makeVisitor: @Sendable () -> Visitor) {
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
      var visitor = makeVisitor()
      work(&visitor)
    }
  }

  /// Makes ``run(makeVisitor:)`` return soon; any thread may call it at any time.
  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    list.cancel()
  }

  private func work(_ visitor: inout some FileVisitor) {
    let searcher = FileSearcher(pattern: pattern)
    while let item = list.next() {
      switch item {
      case .directory(let path):
        let directory = Directory(at: path)
        if let failure = directory.failure { visitor.failed(path, failure) }
        list.done(directory)
      case .file(let path):
        search(path, searcher, &visitor)
        list.done()
      }
    }
  }

  private func search(_ path: Path, _ searcher: FileSearcher, _ visitor: inout some FileVisitor) {
    do throws(SystemError) {
      let outcome = try searcher.search(
        path, isCancelled: { isCancelled.load(ordering: .relaxed) },
        found: { visitor.found($0, in: path) })
      visitor.finished(path, outcome)
    } catch {
      visitor.failed(path, error)
      visitor.finished(path, .searched)
    }
  }
}

/// What is told of the results of one thread of a scan.
protocol FileVisitor: SendableMetatype {
  mutating func found(_ line: FoundLine, in file: Path)

  /// Comes after the last line of a file, even if it could not be read.
  mutating func finished(_ file: Path, _ outcome: FileSearcher.Outcome)

  /// Comes when a directory or file, or the rest of it, cannot be read.
  mutating func failed(_ path: Path, _ error: SystemError)
}
