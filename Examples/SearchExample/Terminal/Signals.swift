import Foundation
import Synchronization

/// Signals that wait to be read, as numbers in a pipe, instead of ending or stopping the program.
struct Signals {
  /// Can be read when a signal has come.
  let descriptor: Int32

  /// Catches signals from now on, even ignored ones; there may be one such value a
  /// program.
  ///
  /// - Parameter signals: their numbers.
  /// - Throws: the error of making the pipe.
  init(_ signals: [Int32]) throws(SystemError) {
    let ends = try makePipe()
    descriptor = ends.reading
    _ = fcntl(ends.writing, F_SETFL, O_NONBLOCK)
    pipeEnd.store(ends.writing, ordering: .releasing)
    for number in signals { signal(number, note) }
  }

  /// Waits for signals and returns them in the order in which they came.
  func next() -> [Int32] {
    var numbers = [UInt8](repeating: 0, count: 64)
    while true {
      let count = read(descriptor, &numbers, numbers.count)
      if count > 0 { return numbers.prefix(count).map(Int32.init) }
    }
  }
}

/// Makes a pipe that no other program inherits.
func makePipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
  var ends: [Int32] = [-1, -1]
  if pipe(&ends) != 0 { throw SystemError("make a pipe") }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}

/// The descriptor that ``note(_:)`` writes to.
private let pipeEnd = Atomic<Int32>(-1)

/// Writes a signal to be read.
///
/// It does only what a signal handler may do: a load, a write, and leaving `errno` as it was.
func note(_ number: Int32) {
  let code = errno
  var byte = UInt8(number)
  _ = write(pipeEnd.load(ordering: .acquiring), &byte, 1)
  errno = code
}
