/// The bytes of a path, none of which is NUL; they need not be UTF-8.
struct Path: Equatable {
  let bytes: [UInt8]

  /// The working directory, whose files are called by their names alone.
  static let workingDirectory = Path([])

  init(_ bytes: some Collection<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// The path for other programs, which may have options that begin with `-` or `+`.
  var argument: [UInt8] { bytes.first == slash ? bytes : Array("./".utf8) + bytes }

  /// The path of this name in this directory.
  func appending(_ name: some Collection<UInt8>) -> Path {
    Path(bytes.isEmpty || bytes.last == slash ? bytes + name : bytes + [slash] + name)
  }

  /// Calls the body with the path as system calls take it.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    let terminated = (bytes.isEmpty ? [UInt8(ascii: ".")] : bytes) + [0]
    return terminated.withUnsafeBytes {
      body($0.assumingMemoryBound(to: CChar.self).baseAddress!)
    }
  }
}

private let slash = UInt8(ascii: "/")
