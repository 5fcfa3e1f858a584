import Foundation

/// A system call that failed.
struct SystemError: Error, Equatable {
  private let task: String
  let code: Int32

  /// - Parameters:
  ///   - task: the operation that failed, to follow "cannot".
  ///   - code: the call's `errno`.
  init(_ task: String, code: Int32 = errno) {
    self.task = task
    self.code = code
  }

  var message: String { "cannot \(task): \(reason)" }

  /// The system's message.
  var reason: String { String(cString: strerror(code)) }
}
