import Foundation

/// A file that deinit removes.
final class TemporaryFile {
  let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var text: String {
    get throws { try String(contentsOfFile: path, encoding: .utf8) }
  }
}

/// A directory that deinit removes.
final class TemporaryDirectory: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/glue-\(UUID().uuidString)"

  init() {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
