import Foundation
import Testing

@testable import SearchExample

@Suite struct OutputTests {
  @Test("a failed write is reported, and no other is tried")
  func aFailedWriteIs() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let output = Output(full.fileDescriptor)
    output.write("lost")
    let failure = try #require(throws: SystemError.self) { try output.check() }
    #expect(failure.code == ENOSPC)
    try full.close()
    output.write("not tried, or this would fail with EBADF")
    #expect(throws: failure) { try output.check() }
  }

  @Test("an interruption ends a blocked write")
  func aWriteToWhat() throws {
    let (pipe, interruption) = (Pipe(), Pipe())
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    fill(descriptor)
    try interruption.fileHandleForWriting.write(contentsOf: [1])
    let output = Output(
      descriptor, interruption: interruption.fileHandleForReading.fileDescriptor)
    output.write("waits for ever unless interrupted")
    #expect(throws: Never.self) { try output.check() }
  }

  /// Writes until nothing more fits.
  private func fill(_ descriptor: Int32) {
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    let bytes = [UInt8](repeating: 0, count: 4_096)
    while write(descriptor, bytes, bytes.count) > 0 {}
    _ = fcntl(descriptor, F_SETFL, flags)
  }
}
