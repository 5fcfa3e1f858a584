/// A pressed key, or typed or pasted text.
public enum Key: Hashable, Sendable {
  /// Characters, which may be several; only pasted text has newlines.
  case text(String)

  /// Ctrl and a letter, in upper case.
  case control(Character)

  /// A key of the main block that is no character.
  case enter, backspace, escape

  /// A key that moves the cursor.
  case up, down, pageUp, pageDown, home, end

  /// The key that sends this byte, which is less than 0x20 or 0x7F.
  init(control byte: UInt8) {
    switch byte {
    case 0x08, 0x7F: self = .backspace
    case 0x0A, 0x0D: self = .enter
    case 0x1B: self = .escape
    default: self = .control(Character(Unicode.Scalar(byte | 0x40)))
    }
  }

  /// The key that sends an escape character and this, in either of a terminal's modes.
  init?(sequence: String) {
    switch sequence {
    case "[A", "OA": self = .up
    case "[B", "OB": self = .down
    case "[5~": self = .pageUp
    case "[6~": self = .pageDown
    case "[H", "OH", "[1~", "[7~": self = .home
    case "[F", "OF", "[4~", "[8~": self = .end
    default: return nil
    }
  }
}
