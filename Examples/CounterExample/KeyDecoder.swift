/// Makes commands of what a terminal sends for keys, byte by byte.
///
/// An arrow key sends an escape sequence, `ESC [ A` or `ESC O A`, which may come in pieces. The
/// escape key pressed alone begins one too. No clock is needed to tell the two apart: a key that
/// cannot continue a sequence just counts.
struct KeyDecoder {
  private enum Place { case outside, afterEscape, inSequence, inParameters }
  private var place = Place.outside

  /// The command that this byte completes, if it does.
  mutating func command(for byte: UInt8) -> Command? {
    defer { advance(past: byte) }
    switch (place, byte) {
    case (_, control("C")), (_, control("D")): return .quit
    case (.inSequence, ascii("A")): return .send(.increment)
    case (.inSequence, ascii("B")): return .send(.decrement)
    case (.inSequence, _), (.inParameters, _): return nil
    case (_, ascii("+")), (_, ascii("k")): return .send(.increment)
    case (_, ascii("-")), (_, ascii("j")): return .send(.decrement)
    case (_, ascii("q")): return .quit
    default: return nil
    }
  }

  private mutating func advance(past byte: UInt8) {
    switch (place, byte) {
    case (_, control("[")): place = .afterEscape
    case (.afterEscape, ascii("[")), (.afterEscape, ascii("O")): place = .inSequence
    case (.inSequence, 0x20...0x3F), (.inParameters, 0x20...0x3F): place = .inParameters
    default: place = .outside
    }
  }
}

private func ascii(_ scalar: Unicode.Scalar) -> UInt8 {
  UInt8(ascii: scalar)
}

/// What Ctrl and a letter send; Ctrl-[ is the escape key.
private func control(_ letter: Unicode.Scalar) -> UInt8 {
  UInt8(ascii: letter) & 0x1F
}
