import Foundation

/// A system call that failed.
package struct SystemError: Error, Equatable {
  private let task: String
  package let code: Int32

  /// - Parameters:
  ///   - task: the operation that failed, to follow "cannot".
  ///   - code: the call's `errno`.
  package init(_ task: String, code: Int32 = errno) {
    self.task = task
    self.code = code
  }

  package var message: String { "cannot \(task): \(reason)" }

  /// The system's message.
  package var reason: String { String(cString: strerror(code)) }
}
