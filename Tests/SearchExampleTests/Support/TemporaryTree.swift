import Foundation

@testable import SearchExample

/// A directory that is removed after the test.
final class TemporaryTree {
  let path: String

  init(_ files: [String: String] = [:]) throws {
    var name = Array("/tmp/SearchExample.XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw POSIXError(.EIO) }
    path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    for (file, text) in files { try write(Array(text.utf8), to: Array(file.utf8)) }
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var root: Path { Path(path.utf8) }

  /// The path of a file below the root.
  func file(_ name: String) -> Path {
    Path("\(path)/\(name)".utf8)
  }

  /// Writes a file, and makes the directories that it needs.
  ///
  /// Neither its name nor its content need be UTF-8.
  func write(_ bytes: [UInt8], to name: [UInt8]) throws {
    let path = Array("\(path)/".utf8) + name
    for index in path.indices.dropFirst() where path[index] == UInt8(ascii: "/") {
      Path(path[..<index]).withCString { _ = mkdir($0, 0o700) }
    }
    let descriptor = Path(path).withCString { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
    defer { close(descriptor) }
    if Foundation.write(descriptor, bytes, bytes.count) != bytes.count { throw POSIXError(.EIO) }
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(name)", withDestinationPath: target)
  }
}
