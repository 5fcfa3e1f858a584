internal import Foundation
internal import Glue
package import GlueJournal

/// Files in memory, of which a crash keeps what was synced, and any sectors of what was not.
///
/// `@unchecked Sendable` is sound because locks guard what varies.
package class MemoryFiles: SystemFiles, @unchecked Sendable {
  /// A call that is about to be made: by a fault it fails, or does less, or nothing.
  package enum Fault: Equatable, Sendable {
    case error(Int32)
    case short
    case nothing
  }

  /// A file, or a directory.
  struct Node: Sendable {
    var bytes: [UInt8] = []
    var synced: [UInt8] = []

    /// The content of a directory.
    var names: [String: Int]?
    var syncedNames: [String: Int] = [:]

    /// The names after each change since they were synced.
    var changes: [[String: Int]] = []

    mutating func change(_ body: (inout [String: Int]) -> Void) {
      guard var names else { return }
      body(&names)
      self.names = names
      changes.append(names)
    }

    mutating func sync() {
      synced = bytes
      syncedNames = names ?? [:]
      changes = []
    }
  }

  struct Disk: Sendable {
    /// By their numbers, of which 0 is the root's.
    var nodes = [0: Node(names: [:])]
    var open: [Int32: Int] = [:]
    var locks: [Int: Int32] = [:]
    var last = 2

    /// The directory that holds a name, and the name; of `..` its parent's parent.
    func place(_ path: String, _ directory: Int32?) -> (directory: Int, name: String)? {
      var parts = path.split(separator: "/").map(String.init)
      guard let name = parts.popLast(), var node = directory.map({ open[$0] }) ?? 0 else {
        return nil
      }
      for part in parts {
        guard let next = nodes[node]?.names?[part] else { return nil }
        node = next
      }
      return (node, name)
    }

    func node(_ path: String, _ directory: Int32?) -> Int? {
      guard let (directory, name) = place(path, directory) else { return nil }
      if name == "." { return directory }
      if name == ".." { return parent(of: directory)?.node }
      return nodes[directory]?.names?[name]
    }

    /// The directory that holds a node, and the node's name there.
    func parent(of node: Int) -> (node: Int, name: String)? {
      for (number, other) in nodes {
        let entry = other.names?.first { $0.value == node }
        if let entry { return (number, entry.key) }
      }
      return nil
    }

    mutating func add(_ node: Node, as name: String, in directory: Int) -> Int {
      last += 1
      nodes[last] = node
      nodes[directory]?.change { $0[name] = last }
      return last
    }
  }

  let disk = Locked(Disk())

  /// How often the machine has restarted.
  let restarts: Int
  package var boot: String? { "boot \(restarts)" }
  package func chooseSmallestLog() -> Int? { nil }
  private let watch = Locked<(@Sendable (_ call: String, _ path: String) -> Fault?)?>(nil)

  package init(restarts: Int = 0) { self.restarts = restarts }

  /// Is asked before each call.
  package func watch(_ body: (@Sendable (_ call: String, _ path: String) -> Fault?)?) {
    watch.withLock { $0 = body }
  }

  private func enter(_ call: String, _ name: String = "", in directory: Int32? = nil) throws
    -> Fault?
  {
    let place = directory.map { "\(path(of: $0))/\(name)" } ?? name
    let fault = watch.withLock { $0 }?(call, place)
    if case .error(let code) = fault { throw JournalError(call, name, code) }
    return fault
  }

  /// The path of an open file or directory.
  private func path(of file: Int32) -> String {
    disk.withLock { disk in
      var (path, node) = ("", disk.open[file] ?? 0)
      while node != 0, let parent = disk.parent(of: node) {
        (path, node) = ("/\(parent.name)\(path)", parent.node)
      }
      return path
    }
  }

  /// Does something to the disk, or fails with the system's error.
  private func attempt<Result: Sendable>(
    _ name: String = "", _ body: (inout Disk) -> (Result?, Int32)
  ) throws -> Result {
    let (result, code) = disk.withLock { body(&$0) }
    guard let result else { throw JournalError("find", name, code) }
    return result
  }

  package func open(_ name: String, in directory: Int32?, _ access: FileAccess) throws -> Int32 {
    _ = try enter("open", name, in: directory)
    return try attempt(name) { disk in
      var node = disk.node(name, directory)
      if let node, (disk.nodes[node]?.names == nil) == (access == .directory) {
        return (nil, access == .directory ? ENOTDIR : EISDIR)
      }
      switch access {
      case .adding where node != nil: return (nil, EEXIST)
      case .making, .adding:
        if node != nil { break }
        node = disk.place(name, directory).map { disk.add(Node(), as: $0.name, in: $0.directory) }
      case .reading, .updating, .directory: break
      }
      guard let node else { return (nil, ENOENT) }
      disk.last += 1
      disk.open[Int32(disk.last)] = node
      return (Int32(disk.last), 0)
    }
  }

  package func close(_ file: Int32) {
    disk.withLock { disk in
      if let node = disk.open.removeValue(forKey: file), disk.locks[node] == file {
        disk.locks[node] = nil
      }
    }
  }

  package func read(
    _ file: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws -> Int {
    let isShort = try enter("read", path(of: file)) == .short
    let bytes = disk.withLock { disk in
      disk.open[file].flatMap { disk.nodes[$0] }?.bytes.dropFirst(offset) ?? []
    }
    let part = bytes.prefix(isShort ? 7 : buffer.count)
    buffer.copyBytes(from: part)
    return part.count
  }

  package func write(
    _ file: Int32, at offset: Int?, _ bytes: UnsafeRawBufferPointer
  ) throws -> Int {
    let fault = try enter("write", path(of: file))
    if fault == .nothing { return 0 }
    let part = Array(bytes.prefix(fault == .short ? (bytes.count + 1) / 2 : bytes.count))
    change(file) { node in
      let offset = offset ?? node.bytes.count
      let missing = offset + part.count - node.bytes.count
      if missing > 0 { node.bytes += [UInt8](repeating: 0, count: missing) }
      node.bytes.replaceSubrange(offset..<offset + part.count, with: part)
    }
    return part.count
  }

  package func sync(_ file: Int32) throws {
    _ = try enter("sync", path(of: file))
    change(file) { $0.sync() }
  }

  package func truncate(_ file: Int32, to size: Int) throws {
    _ = try enter("truncate", path(of: file))
    change(file) { $0.bytes = Array($0.bytes.prefix(size)) }
  }

  package func rename(_ name: String, to new: String, in directory: Int32?) throws {
    _ = try enter("rename", name, in: directory)
    try attempt(name) { disk -> (Void?, Int32) in
      guard let old = disk.place(name, directory), let place = disk.place(new, directory),
        let node = disk.node(name, directory)
      else { return (nil, ENOENT) }
      disk.nodes[place.directory]?.change { names in
        names[old.name] = nil
        names[place.name] = node
      }
      return ((), 0)
    }
  }

  package func remove(_ name: String, in directory: Int32?) throws {
    _ = try enter("remove", name, in: directory)
    try attempt(name) { disk -> (Void?, Int32) in
      guard let place = disk.place(name, directory), disk.node(name, directory) != nil else {
        return (nil, ENOENT)
      }
      disk.nodes[place.directory]?.change { $0[place.name] = nil }
      return ((), 0)
    }
  }

  package func makeDirectory(_ path: String) throws {
    _ = try enter("mkdir", path)
    try attempt(path) { disk -> (Void?, Int32) in
      if disk.node(path, nil) != nil { return ((), 0) }
      guard let place = disk.place(path, nil) else { return (nil, ENOENT) }
      _ = disk.add(Node(names: [:]), as: place.name, in: place.directory)
      return ((), 0)
    }
  }

  package func checkWritable(_ directory: Int32) throws {
    _ = try enter("access", path(of: directory))
  }

  package func list(_ directory: Int32) throws -> [String] {
    _ = try enter("list", path(of: directory))
    return disk.withLock { disk in
      disk.open[directory].flatMap { disk.nodes[$0]?.names }?.keys.sorted() ?? []
    }
  }

  package func tryLock(_ file: Int32) throws -> Bool {
    _ = try enter("lock")
    return disk.withLock { disk in
      guard let node = disk.open[file], disk.locks[node] == nil else { return false }
      disk.locks[node] = file
      return true
    }
  }

  package func identity(of file: Int32) throws -> FileIdentity {
    try attempt { disk in
      (disk.open[file].map { FileIdentity(device: 0, number: UInt64($0)) }, EBADF)
    }
  }

  package func status(
    of name: String, in directory: Int32?
  ) throws -> (identity: FileIdentity, size: Int) {
    try attempt(name) { disk in
      let found = disk.node(name, directory).map { node in
        (
          identity: FileIdentity(device: 0, number: UInt64(node)),
          size: disk.nodes[node]?.bytes.count ?? 0
        )
      }
      return (found, ENOENT)
    }
  }

  package func absolute(_ path: String) -> String { systemFiles.absolute(path) }
  package var microseconds: Int { systemFiles.microseconds }
  package var uptime: Duration { systemFiles.uptime }
  package func yieldThread() { systemFiles.yieldThread() }
  package func sleepBriefly() { systemFiles.sleepBriefly() }
  package func number() -> UInt32 { systemFiles.number() }
  package var owner: String { systemFiles.owner }
  package func makeQueue(_ label: String, isUrgent: Bool) -> any WorkQueue {
    systemFiles.makeQueue(label, isUrgent: isUrgent)
  }
  package func report(_ line: String) { systemFiles.report(line) }
  package func noteDivergence(_ text: String) {}
  package func noteStore(on clock: any Clock<Duration>, after commit: Int?) {}
  package func stop(_ message: String) -> Never { systemFiles.stop(message) }

  private func change(_ file: Int32, _ body: (inout Node) -> Void) {
    disk.withLock { disk in
      if let node = disk.open[file] { body(&disk.nodes[node, default: Node()]) }
    }
  }
}
