package import Foundation
import Glue

/// A running program, with pipes for its input and output.
package final class PipedProgram {
  package struct Result: Equatable {
    package var output: String

    /// Without the reports of a debug build that depend on how busy the machine is.
    package var errors: String
    package var ending: Child.Ending

    package init(output: String = "", errors: String = "", ending: Child.Ending = .exit(0)) {
      self.output = output
      self.errors = errors
      self.ending = ending
    }
  }

  private let child: Child
  private let input = closingOnExec(Pipe())
  private let output = closingOnExec(Pipe())
  private let errors: FileHandle

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - program: a path.
  ///   - arguments: the arguments after it.
  ///   - redirect: changes the child's descriptors, as a shell's redirections do.
  /// - Throws: the error of starting it.
  package init(
    _ program: String, _ arguments: [String] = [],
    redirect: (inout posix_spawn_file_actions_t) -> Void = { _ in }
  ) throws {
    signal(SIGPIPE, SIG_IGN)
    let descriptors = [
      input.fileHandleForReading, output.fileHandleForWriting,
    ].map(\.fileDescriptor)
    errors = try temporaryFile()
    child = try Child(program, arguments) { [errors] files in
      for (target, descriptor) in (descriptors + [errors.fileDescriptor]).enumerated() {
        posix_spawn_file_actions_adddup2(&files, descriptor, Int32(target))
      }
      redirect(&files)
    }
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
  }

  /// Its process id.
  package var process: pid_t { child.id }

  /// Writes to the program's input, which must have room for it.
  package func send(_ text: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Waits for as many bytes of output, unless the output ends.
  package func receive(_ count: Int) throws -> String {
    String(
      decoding: try output.fileHandleForReading.read(upToCount: count) ?? Data(), as: UTF8.self)
  }

  package func closeOutput() throws {
    try output.fileHandleForReading.close()
  }

  /// Sends the rest of the input, ends it, and waits for all output and the end.
  package func finish(input bytes: Data = Data()) throws -> Result {
    let handle = input.fileHandleForWriting
    Thread.detachNewThread {
      try? handle.write(contentsOf: bytes)  // Fails if the program ends before it has read all.
      try? handle.close()
    }
    let output = try output.fileHandleForReading.readToEnd() ?? Data()
    return try result(output: output)
  }

  /// Waits only for the end.
  package func result(output: Data = Data()) throws -> Result {
    let ending = child.wait()
    try errors.seek(toOffset: 0)
    let lines = String(decoding: try errors.readToEnd() ?? Data(), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let ofRealTime = [
      Problem.slowDelivery(type: "|"), .stalledDelivery(place: "|", cure: ""),
    ].map { $0.description.prefix { $0 != "|" } }
    return Result(
      output: String(decoding: output, as: UTF8.self),
      errors: lines.filter { !ofRealTime.contains(where: $0.hasPrefix) }.joined(separator: "\n"),
      ending: ending)
  }
}

/// Keeps children from holding the pipe open.
private func closingOnExec(_ pipe: Pipe) -> Pipe {
  for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
    _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
  }
  return pipe
}

/// A file that closing removes; unlike a pipe, it never fills up without a reader.
private func temporaryFile() throws -> FileHandle {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  if descriptor < 0 { throw POSIXError(.EIO) }
  unlink(path)
  return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
}
