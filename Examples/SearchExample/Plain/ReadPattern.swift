import TerminalSupport

/// Reads the first line of standard input, or what there is of it.
///
/// - Returns: the line without its end, or nil if there is none, or more of it than a pattern has.
/// - Throws: what kept it from being read.
func readPattern() throws(SystemError) -> [UInt8]? {
  var line: [UInt8] = []
  while line.count <= 65_536 {
    let bytes = try readInput()
    if bytes.isEmpty { return line.isEmpty ? nil : line }
    line += bytes
    if let end = line.firstIndex(of: newline) { return Array(line[..<end]) }
  }
  return nil
}
