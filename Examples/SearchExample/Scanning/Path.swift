/// A path as the system has it: bytes, which need not be UTF-8.
struct Path: Hashable {
  private let terminated: [UInt8]

  /// The working directory, whose files are called by their names alone.
  static let workingDirectory = Path([])

  /// Makes a path of bytes, none of which is NUL.
  init(_ bytes: some Collection<UInt8>) {
    terminated = bytes + [0]
  }

  var bytes: ArraySlice<UInt8> { terminated.dropLast() }

  /// The path as other programs take it, who may know options that begin with `-` or `+`.
  var argument: [UInt8] {
    bytes.first == UInt8(ascii: "/") ? Array(bytes) : Array("./".utf8) + bytes
  }

  /// The path of what has this name in this directory.
  func appending(_ name: some Collection<UInt8>) -> Path {
    let slash = UInt8(ascii: "/")
    var path = terminated
    path.removeLast()
    if let last = path.last, last != slash { path.append(slash) }
    return Path(path + name)
  }

  /// Calls the body with the path as system calls take it.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    if bytes.isEmpty { return body(".") }
    return terminated.withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self).baseAddress!) }
  }
}
