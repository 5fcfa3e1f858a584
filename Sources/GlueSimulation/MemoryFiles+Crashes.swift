internal import Glue
package import GlueTesting

extension MemoryFiles {
  /// The files that a power failure at this moment leaves, by the seed.
  package func afterPowerFailure(_ random: inout Xorshift) -> MemoryFiles {
    let nodes = disk.withLock { $0.nodes }
    var left = MemoryFiles.Left()
    left.add(0, of: nodes, at: "") { node in
      let names = ([node.syncedNames] + node.changes).randomElement(using: &random) ?? [:]
      return (names, Self.kept(node.bytes, node.synced, &random))
    }
    return .of(left.files, left.directories, restarts: restarts + 1)
  }

  /// The files that the end of only the process leaves at this moment.
  ///
  /// The kernel has the bytes that weren't synced, and a later power failure can still lose them.
  package func afterKill() -> MemoryFiles {
    let (nodes, last) = disk.withLock { ($0.nodes, $0.last) }
    let new = MemoryFiles(restarts: restarts)
    new.disk.withLock { ($0.nodes, $0.last) = (nodes, last) }
    return new
  }

  /// Whether there is no byte.
  var isEmpty: Bool { all.values.allSatisfy(\.isEmpty) }

  /// Changes a bit of a file that isn't empty.
  ///
  /// - Returns: the path of the file; nil if there is none.
  func rot(_ random: inout Xorshift) -> String? {
    let files = all.filter { !$0.value.isEmpty }.keys.sorted()
    guard let path = files.randomElement(using: &random) else { return nil }
    disk.withLock { disk in
      guard let number = disk.node(path, nil), var node = disk.nodes[number] else { return }
      let (index, bit) = (
        Int.random(in: 0..<node.bytes.count, using: &random),
        UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      )
      node.bytes[index] ^= bit
      if index < node.synced.count { node.synced[index] ^= bit }
      disk.nodes[number] = node
    }
    return path
  }

  /// The bytes of each file.
  package var all: [String: [UInt8]] { left.files }

  /// Removes a name, as when another program removes the file.
  package func forget(_ path: String) {
    disk.withLock { disk in
      guard let (directory, name) = disk.place(path, nil) else { return }
      disk.nodes[directory]?.change { $0[name] = nil }
    }
  }

  package static func of(
    _ files: [String: [UInt8]], _ directories: Set<String> = ["/j"], restarts: Int = 0
  ) -> MemoryFiles {
    let new = MemoryFiles(restarts: restarts)
    new.disk.withLock { disk in
      for path in directories.sorted() {
        guard let (parent, name) = disk.place(path, nil) else { continue }
        _ = disk.add(Node(names: [:]), as: name, in: parent)
      }
      for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
        guard let (parent, name) = disk.place(path, nil) else { continue }
        _ = disk.add(Node(bytes: bytes), as: name, in: parent)
      }
      for node in disk.nodes.keys { disk.nodes[node]?.sync() }
    }
    return new
  }

  private var left: Left {
    var left = Left()
    left.add(0, of: disk.withLock { $0.nodes }, at: "") { ($0.names ?? [:], $0.bytes) }
    return left
  }

  /// The remaining files, by path.
  private struct Left {
    var files: [String: [UInt8]] = [:]
    var directories: Set<String> = []

    mutating func add(
      _ number: Int, of nodes: [Int: Node], at path: String,
      _ kept: (Node) -> (names: [String: Int], bytes: [UInt8])
    ) {
      guard let node = nodes[number] else { return }
      let (names, bytes) = kept(node)
      if node.names == nil {
        files[path] = bytes
        return
      }
      if !path.isEmpty { directories.insert(path) }
      for (name, number) in names.sorted(by: { $0.key < $1.key }) {
        add(number, of: nodes, at: "\(path)/\(name)", kept)
      }
    }
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
