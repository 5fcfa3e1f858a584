import Foundation
import Glue
import GlueTesting

@testable import GlueJournal

/// Files in memory, of which a crash keeps what was synced, and any sectors of what was not.
final class MemoryFiles: FileSystem {
  /// A call that is about to be made: by a fault it fails, or does less.
  enum Fault: Equatable {
    case error(Int32)
    case short
  }

  private struct Content: Sendable {
    var bytes: [UInt8] = []
    var synced: [UInt8] = []
  }

  private struct Disk: Sendable {
    var contents: [Int: Content] = [:]
    var names: [String: Int] = [:]
    var syncedNames: [String: Int] = [:]
    var directories: Set<String> = []

    /// What has been done to names since they were synced, as each left them.
    var changes: [[String: Int]] = []
    var files: [Int32: Int] = [:]
    var locks: [Int: Int32] = [:]
    var last = 2
  }

  private let disk = Guarded(Disk())

  /// How often the machine has restarted.
  private let restarts: Int
  var boot: String? { "boot \(restarts)" }

  init(restarts: Int = 0) { self.restarts = restarts }

  private let watch = Guarded<(@Sendable (_ call: String, _ path: String) -> Fault?)?>(nil)

  /// Is asked before each call.
  func watch(_ body: (@Sendable (_ call: String, _ path: String) -> Fault?)?) {
    watch.withLock { $0 = body }
  }

  private func enter(_ call: String, _ path: String = "") throws -> Bool {
    let fault = watch.withLock { $0 }?(call, path)
    if case .error(let code) = fault { throw JournalError(call, path, code) }
    return fault == .short
  }

  func open(_ path: String, _ access: Access) throws -> Int32 {
    _ = try enter("open", path)
    return try disk.withLock { disk in
      Result { () throws(JournalError) in
        disk.last += 1
        if case .directory = access { return Int32(disk.last) }
        var id = disk.names[path]
        if id == nil {
          switch access {
          case .making, .locking:
            id = disk.last
            disk.contents[disk.last] = Content()
            disk.names[path] = disk.last
            disk.changes.append(disk.names)
          case .reading, .updating, .directory:
            throw JournalError("open", path, ENOENT)
          }
        }
        if case .making = access, let id { disk.contents[id]?.bytes = [] }
        disk.files[Int32(disk.last)] = id
        return Int32(disk.last)
      }
    }.get()
  }

  func close(_ file: Int32) {
    disk.withLock { disk in
      if let id = disk.files.removeValue(forKey: file), disk.locks[id] == file {
        disk.locks[id] = nil
      }
    }
  }

  func read(
    _ file: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws -> Int {
    let isShort = try enter("read")
    let bytes = disk.withLock { disk in
      disk.files[file].flatMap { disk.contents[$0] }?.bytes.dropFirst(offset) ?? []
    }
    let part = bytes.prefix(isShort ? 7 : buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  func write(
    _ file: Int32, at offset: Int, _ bytes: UnsafeRawBufferPointer
  ) throws -> Int {
    let isShort = try enter("write")
    let part = Array(bytes.prefix(isShort ? (bytes.count + 1) / 2 : bytes.count))
    change(file) { content in
      let missing = offset + part.count - content.bytes.count
      if missing > 0 { content.bytes += [UInt8](repeating: 0, count: missing) }
      content.bytes.replaceSubrange(offset..<offset + part.count, with: part)
    }
    return part.count
  }

  func sync(_ file: Int32) throws {
    _ = try enter("sync")
    disk.withLock { disk in
      if let id = disk.files[file] {
        let bytes = disk.contents[id]?.bytes ?? []
        disk.contents[id]?.synced = bytes
      } else {
        disk.syncedNames = disk.names
        disk.changes = []
      }
    }
  }

  func truncate(_ file: Int32, to size: Int) throws {
    _ = try enter("truncate")
    change(file) { $0.bytes = Array($0.bytes.prefix(size)) }
  }

  func rename(_ path: String, to new: String) throws {
    _ = try enter("rename", path)
    disk.withLock { disk in
      disk.names[new] = disk.names.removeValue(forKey: path)
      disk.changes.append(disk.names)
    }
  }

  func remove(_ path: String) throws {
    _ = try enter("remove", path)
    let isThere = disk.withLock { disk in
      let isThere = disk.names.removeValue(forKey: path) != nil
      disk.changes.append(disk.names)
      return isThere
    }
    if !isThere { throw JournalError("remove", path, ENOENT) }
  }

  func makeDirectory(_ path: String) throws {
    _ = try enter("mkdir", path)
    let isNew = disk.withLock { $0.directories.insert(path).inserted }
    if !isNew { throw JournalError("mkdir", path, EEXIST) }
  }

  func checkWritable(_ directory: String) throws { _ = try enter("access", directory) }

  func list(_ directory: String) throws -> [String] {
    _ = try enter("list", directory)
    let (names, directories) = disk.withLock { ($0.names, $0.directories) }
    if names[directory] != nil { throw JournalError("list", directory, ENOTDIR) }
    if !directories.contains(directory) {
      throw JournalError("list", directory, ENOENT)
    }
    return names.keys.filter { $0.hasPrefix(directory + "/") }
      .map { String($0.dropFirst(directory.count + 1)) }
  }

  func lock(_ file: Int32) throws -> Bool {
    _ = try enter("lock")
    return disk.withLock { disk in
      guard let id = disk.files[file], disk.locks[id] == nil else { return false }
      disk.locks[id] = file
      return true
    }
  }

  private func change(_ file: Int32, _ body: (inout Content) -> Void) {
    disk.withLock { disk in
      if let id = disk.files[file] { body(&disk.contents[id, default: Content()]) }
    }
  }
}

// MARK: - Crashes and damage

extension MemoryFiles {
  /// What a power failure leaves at this moment; it is up to the seed.
  func afterPowerFailure(_ random: inout Xorshift) -> MemoryFiles {
    let disk = disk.withLock { $0 }
    let names = ([disk.syncedNames] + disk.changes).randomElement(using: &random) ?? [:]
    return MemoryFiles.of(
      names.mapValues { id in
        disk.contents[id].map { Self.kept($0.bytes, $0.synced, &random) } ?? []
      }, disk.directories, restarts: restarts + 1)
  }

  /// What the end of the process alone leaves at this moment.
  func afterKill() -> MemoryFiles {
    let disk = disk.withLock { $0 }
    return MemoryFiles.of(
      disk.names.mapValues { disk.contents[$0]?.bytes ?? [] }, disk.directories,
      restarts: restarts)
  }

  /// The bytes of each file.
  var all: [String: [UInt8]] {
    let disk = disk.withLock { $0 }
    return disk.names.mapValues { disk.contents[$0]?.bytes ?? [] }
  }

  static func of(
    _ files: [String: [UInt8]], _ directories: Set<String> = ["/j"], restarts: Int = 0
  ) -> MemoryFiles {
    let new = MemoryFiles(restarts: restarts)
    new.disk.withLock { disk in
      disk.directories = directories
      for (name, bytes) in files {
        disk.last += 1
        disk.names[name] = disk.last
        disk.contents[disk.last] = Content(bytes: bytes, synced: bytes)
      }
      disk.syncedNames = disk.names
    }
    return new
  }

  /// Sectors of a file, each as it was written last or as it was synced; those that were never
  /// synced may be zeros, or missing at the end.
  private static func kept(
    _ bytes: [UInt8], _ synced: [UInt8], _ random: inout Xorshift
  ) -> [UInt8] {
    if bytes == synced { return bytes }
    let sectors = (max(bytes.count, synced.count) + 511) / 512
    let sizes =
      [bytes.count, synced.count]
      + (0...sectors).map { $0 * 512 }.filter {
        (synced.count...max(synced.count, bytes.count)).contains($0)
      }
    var result = [UInt8](repeating: 0, count: sizes.randomElement(using: &random) ?? 0)
    for sector in 0..<sectors {
      let source = Bool.random(using: &random) ? bytes : synced
      let end = min(sector * 512 + 512, source.count, result.count)
      for index in sector * 512..<max(sector * 512, end) { result[index] = source[index] }
    }
    return result
  }
}
