import Foundation
import TerminalSupport
import Testing

@testable import CounterExample

@Suite struct TerminalBellTests {
  @Test func `it writes one bell character`() throws {
    let pipe = Pipe()
    let bell = TerminalBell(output: Output(pipe.fileHandleForWriting.fileDescriptor))
    bell.handle(effect: .playSound) { _ in }
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd() == Data([0x07]))
  }
}
