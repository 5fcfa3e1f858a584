public import Foundation

/// Notes in a file which entry a replica is reducing, so that its next start can name one that the
/// replica died of.
///
///     let marker = try ReductionMarker(at: "/var/lib/board/eu-1.reducing")
///
/// A reducer that traps ends the process before it can report anything. The next start reports
/// ``SharedStoreEvent/diedReducing(position:)``. The file survives the process, not a power failure.
/// Each entry costs one write that isn't synced, about a microsecond.
public final class ReductionMarker: Sendable {
  private let file: Int32

  /// The entry that the last start died of; nil if it ended elsewhere.
  let left: LogPosition?

  /// Opens the file, or makes it.
  ///
  /// - Parameter path: a file of this replica alone.
  /// - Throws: the system's error, if that isn't possible.
  public init(at path: String) throws(POSIXError) {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    if file < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    var text = [UInt8](repeating: 0, count: Self.width)
    let count = pread(file, &text, Self.width, 0)
    left = Int(String(decoding: text.prefix(max(count, 0)).prefix { $0 != 32 }, as: UTF8.self))
    note(nil)
  }

  deinit { close(file) }

  /// The most digits of a position.
  private static let width = 20

  func note(_ position: LogPosition?) {
    let digits = Array((position.map(String.init) ?? "").utf8)
    let text = digits + [UInt8](repeating: 32, count: Self.width - digits.count)
    _ = pwrite(file, text, text.count, 0)
  }
}
