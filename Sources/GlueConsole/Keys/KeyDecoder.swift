/// Decodes keys from a terminal's bytes, which may come in pieces, for a program with a loop of its own.
///
/// The terminal must be in the modes of ``KeyModes``. Other sequences are skipped to their end: keys
/// without a name here, reports of the mouse, and replies to programs' queries.
public struct KeyDecoder {
  private enum Place: Equatable {
    case betweenKeys, afterEscape

    /// After `ESC [` or `ESC O`; holds what came since the escape character.
    case inSequence(String)

    /// In a report with that many bytes to come, of any value.
    case inReport(Int)

    /// After `ESC ]` or the like, until a bell or `ESC \`.
    case inReply(isBegun: Bool)

    /// After `ESC [ 200 ~`, until `ESC [ 201 ~`.
    case inPaste
  }

  private var place = Place.betweenKeys
  private var keys: [Key] = []

  /// Characters that aren't decoded as keys yet.
  private var text: [UInt8] = []

  /// Makes one that has seen no bytes.
  public init() {}

  /// Whether only time can decide what the last bytes are: the escape key, a key pressed with Alt,
  /// or the beginning of a sequence.
  ///
  /// Wait for more bytes for about 50 ms then, and call ``decide()`` if none come.
  public var isUndecided: Bool {
    [.afterEscape, .inSequence("["), .inSequence("O"), .inReply(isBegun: false)].contains(place)
  }

  /// The keys that these bytes complete.
  public mutating func keys(for bytes: [UInt8]) -> [Key] {
    for byte in bytes { take(byte) }
    if place != .inPaste { addText(butLast: incompleteCount(of: text)) }
    return takeKeys()
  }

  /// Decides, after some time, that no more bytes belong to the last ones.
  public mutating func decide() -> [Key] {
    if place == .afterEscape { add(.escape) }
    place = .betweenKeys
    return takeKeys()
  }

  private mutating func take(_ byte: UInt8) {
    let scalar = Unicode.Scalar(byte)
    switch (place, scalar) {
    case (.betweenKeys, _): takeOutside(byte)
    case (.inPaste, _): takePasted(byte)
    case (.afterEscape, "["), (.afterEscape, "O"): place = .inSequence("\(scalar)")
    case (.afterEscape, "]"), (.afterEscape, "P"), (.afterEscape, "X"), (.afterEscape, "^"),
      (.afterEscape, "_"):
      place = .inReply(isBegun: false)
    case (.afterEscape, "\\"), (.inReply, "\u{7}"): place = .betweenKeys
    case (.afterEscape, _):
      add(.escape)
      takeOutside(byte)
    case (.inSequence(let begun), " "..."~"): takeSequence(begun + "\(scalar)")
    case (.inReport(let count), " "...): place = count > 1 ? .inReport(count - 1) : .betweenKeys
    case (.inReply, " "...): place = .inReply(isBegun: true)
    default: takeOutside(byte)
    }
  }

  /// Takes a key or the beginning of one, and drops the sequence that it interrupts.
  private mutating func takeOutside(_ byte: UInt8) {
    place = byte == 0x1B ? .afterEscape : .betweenKeys
    if byte >= 0x20 && byte != 0x7F { return text.append(byte) }
    if byte != 0x1B { add(Key(control: byte)) }
  }

  /// Continues a sequence: parameters, and a letter or a tilde.
  private mutating func takeSequence(_ sequence: String) {
    place = .betweenKeys
    switch sequence {
    case "[M": place = .inReport(3)
    case "[[": place = .inReport(1)  // A function key of Linux's console.
    case "[200~":
      addText()
      place = .inPaste
    case _ where (" "..."?").contains(sequence.last ?? " "):
      place = .inSequence(String(sequence.prefix(16)))
    default: if let key = Key(sequence: sequence) { add(key) }
    }
  }

  /// Takes a byte of pasted text, in which only Ctrl-C is a key.
  private mutating func takePasted(_ byte: UInt8) {
    if byte == 0x03 { return takeOutside(byte) }
    text.append(byte)
    if byte == UInt8(ascii: "~"), text.suffix(6).elementsEqual("\u{1B}[201~".utf8) {
      text.removeLast(6)
      addText()
      place = .betweenKeys
    }
  }

  private mutating func add(_ key: Key) {
    addText()
    keys.append(key)
  }

  private mutating func addText(butLast count: Int = 0) {
    let complete = text.dropLast(count)
    if !complete.isEmpty { keys.append(.text(String(decoding: complete, as: UTF8.self))) }
    text = text.suffix(count)
  }

  private mutating func takeKeys() -> [Key] {
    defer { keys = [] }
    return keys
  }
}

/// How many bytes at the end are the beginning of an incomplete UTF-8 character.
private func incompleteCount(of text: [UInt8]) -> Int {
  guard let first = text.suffix(3).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return 0 }
  let length = text[first] < 0xC0 ? 1 : text[first] < 0xE0 ? 2 : text[first] < 0xF0 ? 3 : 4
  return text.count - first < length ? text.count - first : 0
}
