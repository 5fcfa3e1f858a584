import Foundation

/// A file that is gone when this is.
final class TemporaryFile {
  let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var text: String {
    get throws { try String(contentsOfFile: path, encoding: .utf8) }
  }
}
