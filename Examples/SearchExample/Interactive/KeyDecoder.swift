/// Makes commands of what a terminal sends for keys.
struct KeyDecoder {
  /// What may be the beginning of a key.
  private var rest: ArraySlice<UInt8> = []

  /// Whether more bytes are needed to tell what the last ones are.
  ///
  /// An arrow key sends the escape key's byte and more, so only time tells that there is no more.
  var isUndecided: Bool { !rest.isEmpty }

  /// The commands that these bytes complete.
  mutating func commands(for bytes: [UInt8]) -> [Command] {
    rest += bytes
    var commands: [Command] = []
    while let key = takeKey() {
      if let command = key.command { commands.append(command) }
    }
    return commands
  }

  /// Decides, when some time has passed, that no more bytes belong to the last ones.
  mutating func decide() -> Command? {
    defer { rest = [] }
    return rest.elementsEqual([escape]) ? .send(.clear) : nil
  }

  /// Takes the first key, if it is complete.
  private mutating func takeKey() -> Key? {
    guard let first = rest.first else { return nil }
    if first == escape { return takeEscape() }
    if isControl(first) { return .control(rest.removeFirst()) }
    let text = rest.prefix { !isControl($0) }
    let complete = text.dropLast(incompleteCount(of: text))
    if complete.isEmpty { return nil }
    rest = rest[complete.endIndex...]
    return .text(String(decoding: complete, as: UTF8.self))
  }

  /// Takes the escape key, or a sequence: `ESC [` or `ESC O`, parameters and a letter or tilde.
  private mutating func takeEscape() -> Key? {
    guard let second = rest.dropFirst().first else { return nil }
    if second != UInt8(ascii: "[") && second != UInt8(ascii: "O") {
      return .control(rest.removeFirst())
    }
    let parameters = rest.dropFirst(2).prefix { (0x20...0x3F).contains($0) }
    guard parameters.endIndex < rest.endIndex else { return nil }
    rest = rest[(parameters.endIndex)...]
    return .sequence(String(decoding: parameters + [rest.removeFirst()], as: UTF8.self))
  }
}

let escape: UInt8 = 0x1B

private func isControl(_ byte: UInt8) -> Bool {
  byte < 0x20 || byte == 0x7F
}

/// How many bytes at the end are the beginning of a character of UTF-8, and not all of it.
private func incompleteCount(of text: ArraySlice<UInt8>) -> Int {
  let continuations = text.reversed().prefix { $0 & 0xC0 == 0x80 }.count
  guard continuations < 3, let first = text.dropLast(continuations).last, first >= 0xC0 else {
    return 0
  }
  let needed = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
  return continuations < needed ? continuations + 1 : 0
}
