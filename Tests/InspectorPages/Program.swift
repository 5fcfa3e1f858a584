import Foundation
import Glue
import GlueInspector

/// Writes the pages for the browser tests into a folder.
@main
enum Program {
  static func main() async throws {
    let folder = CommandLine.arguments.dropFirst().first ?? "."
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try await writeRun(to: folder)
    try await writeRaces(to: folder)
    try writeChanges(to: folder)
    try writeSample(to: folder)
    try writeHostile(to: folder)
    try await writeRecording(to: folder)
  }
}
