import Foundation

/// A tree with the names and contents that search programs stumble over; "needle" is in many files.
func nastyTree() throws -> TemporaryTree {
  let tree = try TemporaryTree([
    "plain": "a needle\nnothing\nneedle needle\n",
    "no end of line": "x\nneedle",
    "empty": "",
    "only newlines": "\n\n\n",
    "windows": "needle\r\nneedle\r\n",
    "a/b/c/d/deep": "needle\n",
    ".hidden/file": "needle\n",
    ".git/config": "needle\n",
    "a/.git/config": "needle\n",
    "-rf": "needle with * and [x] and \\ in it\n",
    "+5": "needle\n",
    "name\nwith newline": "needle\n",
    "name\u{1B}[2J\u{7}": "needle \u{1B}[31mred\u{9B}31m\n",
    "größe 漢字": "needle 漢字 👍\n",
    "binary": "\0\nneedle\n",
  ])
  try tree.write(Array("needle \u{FF}".utf8) + [0xFF, 0xC3, 0x0A, 0xFE], to: [0x6E, 0xFF])
  let long = [UInt8](repeating: UInt8(ascii: "x"), count: 400_000)
  try tree.write(
    long + Array("needle".utf8) + long + Array("\nneedle\n".utf8), to: Array("long".utf8))
  try tree.link("loop", to: ".")
  try tree.link("link", to: "plain")
  try tree.link("dangling", to: "nothing")
  mkfifo("\(tree.path)/pipe", 0o600)
  for number in 1...200 {
    try tree.write(
      Array("\(number)\nneedle \(number)".utf8), to: Array("many/\(number % 9)/\(number)".utf8))
  }
  return tree
}
