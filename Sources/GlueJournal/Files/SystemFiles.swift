/// The file operations that a journal uses, and everything else that it takes from the system.
///
/// Each operation does what the system call of its name does: a signal may interrupt it, and it may
/// read or write less than asked. ``File`` handles both. Names are looked up in an open directory,
/// or in the current one if none is given.
///
/// Tests implement it to inject faults and crashes, and a simulation so that its seed decides
/// everything.
package protocol SystemFiles: Sendable {
  func open(_ name: String, in directory: Int32?, _ access: FileAccess) throws -> Int32
  func close(_ file: Int32)
  func read(_ file: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws -> Int

  /// Writes at an offset; without one at the end of a file that was opened for appending.
  func write(_ file: Int32, at offset: Int?, _ bytes: UnsafeRawBufferPointer) throws -> Int

  /// Returns when everything written to a file, or a directory's names, are on the disk.
  func sync(_ file: Int32) throws
  func truncate(_ file: Int32, to size: Int) throws
  func rename(_ name: String, to new: String, in directory: Int32?) throws
  func remove(_ name: String, in directory: Int32?) throws

  /// Creates a directory, unless something has its name.
  func makeDirectory(_ path: String) throws
  func checkWritable(_ directory: Int32) throws
  func list(_ directory: Int32) throws -> [String]
  func tryLock(_ file: Int32) throws -> Bool
  func identity(of file: Int32) throws -> FileIdentity
  func status(of name: String, in directory: Int32?) throws -> (identity: FileIdentity, size: Int)

  /// The absolute path, which stays valid when the current directory changes.
  func absolute(_ path: String) -> String

  /// The kernel's boot id, which changes with each start; nil where it is not available.
  var boot: String? { get }

  /// The time of the wall clock, in microseconds since 1970.
  var microseconds: Int { get }

  /// The time since an instant.
  var uptime: Duration { get }

  /// Chooses the size in bytes that a log must exceed before a new state follows; nil for the usual one.
  func chooseSmallestLog() -> Int?

  /// Lets other threads run.
  func yieldThread()
  func sleepBriefly()

  /// A random number, for the name of a temporary file.
  func number() -> UInt32

  /// The content of `lock`.
  var owner: String { get }

  /// Makes a queue for work that has a thread of its own.
  func makeQueue(_ label: String, isUrgent: Bool) -> any WorkQueue

  /// Reports a line that no other code gets.
  func report(_ line: String)

  /// Records that a reducer departs from the recording, in addition to the report.
  func noteDivergence(_ text: String)

  /// Records that a store with this clock begins, after this commit; nil in a new journal.
  func noteStore(on clock: any Clock<Duration>, after commit: Int?)

  /// Stops the program.
  func stop(_ message: String) -> Never
}

extension SystemFiles {
  package func chooseSmallestLog() -> Int? { nil }
}

/// The access that a file is opened with.
///
/// None follows a symbolic link in the file's place.
///
/// Only the owner can access a new file.
package enum FileAccess: Sendable {
  case reading

  case updating

  /// Appending or locking; creates a missing file.
  case making

  /// Writing a new file; fails if something has its name.
  case adding
  case directory
}

package struct FileIdentity: Equatable, Sendable {
  let device: UInt64
  let number: UInt64

  package init(device: UInt64, number: UInt64) { (self.device, self.number) = (device, number) }
}

/// Runs bodies one after the other.
package protocol WorkQueue: Sendable {
  func run(_ body: @escaping @Sendable () -> Void)
  func run(after time: Duration, _ body: @escaping @Sendable () -> Void)

  /// Returns when all bodies so far have run.
  func wait()
}
