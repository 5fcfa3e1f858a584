import Foundation

private let root = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

/// The text of a file of this package.
func text(_ path: String) throws -> String {
  try String(contentsOf: root.appending(path: path), encoding: .utf8)
}

/// The paths of the files in a folder of this package with an ending, at any depth.
func files(in folder: String, ending: String) -> [String] {
  let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
  return (names?.compactMap { $0 as? String } ?? [])
    .filter { $0.hasSuffix(ending) }.map { "\(folder)/\($0)" }.sorted()
}

/// The package manager's description of a manifest.
func description(ofManifest manifest: String) throws -> [String: Any] {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try manifest.write(
    to: folder.appending(path: "Package.swift"), atomically: true, encoding: .utf8)
  let output = try output(of: ["swift", "package", "--package-path", folder.path, "dump-package"])
  return try JSONSerialization.jsonObject(with: output) as? [String: Any] ?? [:]
}

private struct Failed: Error {
  let command: [String]
}

/// The standard output of a command.
private func output(of command: [String]) throws -> Data {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = command
  process.standardOutput = pipe
  try process.run()
  let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  if process.terminationStatus != 0 { throw Failed(command: command) }
  return data
}
