internal import Glue
internal import Testing
internal import XCTest

/// A failure of a test: a wrong expectation, or wrong use.
package struct Failure: Sendable {
  package let message: String
  package let place: Place

  /// Whether it is a warning, which fails no test.
  var isWarning = false

  package init(message: String, place: Place, isWarning: Bool = false) {
    (self.message, self.place, self.isWarning) = (message, place, isWarning)
  }

  /// Fails the current test, at the failure's place.
  package func report(to framework: Framework) {
    if let collector = FailureCollector.current { return collector.add(self) }
    switch framework {
    case _ where isWarning: warn(in: framework)
    case .swiftTesting: Issue.record(Comment(rawValue: message), sourceLocation: location)
    case .xctest: XCTFail(message, file: place.filePath, line: place.line)
    }
  }

  private var location: SourceLocation {
    SourceLocation(
      fileID: "\(place.fileID)", filePath: "\(place.filePath)", line: Int(place.line),
      column: Int(place.column))
  }

  /// Only Swift Testing has warnings, since Swift 6.3.
  private func warn(in framework: Framework) {
    #if compiler(>=6.3)
      if framework == .swiftTesting {
        _ = Issue.record(
          Comment(rawValue: message), severity: .warning, sourceLocation: location)
        return
      }
    #endif
    writeToStandardError("\(place.filePath):\(place.line): warning: \(message)")
  }
}

/// Fails a test for a call that checks nothing, because something is missing.
package func failForNothing(_ call: String, _ want: String, at place: Place) {
  let message = "\(call) checks nothing: give it \(want)."
  Failure(message: message, place: place).report(to: .current)
}

/// The framework that runs the tests of this process.
package enum Framework: Sendable {
  case swiftTesting
  case xctest

  /// Swift Testing in its tests, and elsewhere in the process that `swift test` starts for them;
  /// XCTest otherwise.
  package static var current: Framework {
    Test.current != nil || runsSwiftTesting ? .swiftTesting : .xctest
  }

  private static let runsSwiftTesting = CommandLine.arguments.contains("swift-testing")
}

/// Collects the failures of the helpers' own tests, which must not fail by them.
package final class FailureCollector: Sendable {
  @TaskLocal static var current: FailureCollector?

  let failures = Locked<[Failure]>([])

  func add(_ failure: Failure) {
    failures.withLock { $0.append(failure) }
  }

  /// Runs a body and collects its failures instead of reporting them.
  package static nonisolated(nonsending) func failures(
    of body: nonisolated(nonsending) () async -> Void
  ) async -> [Failure] {
    let collector = FailureCollector()
    await $current.withValue(collector) { await body() }
    return collector.failures.withLock { $0 }
  }
}
