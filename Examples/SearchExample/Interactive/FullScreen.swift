import TerminalSupport

/// The whole terminal, on which a ``Screen`` is drawn.
final class FullScreen: TerminalUser, Sendable {
  let terminal: Terminal

  private struct Contents {
    /// What is to be seen.
    var screen: Screen?

    /// What each row of the terminal shows, as far as that is known; nil while it is not ours.
    var drawn: [Row]?
  }

  private let output: Output
  private let contents = Locked(Contents())

  init(_ terminal: Terminal, output: Output) {
    self.terminal = terminal
    self.output = output
  }

  func enter() throws(SystemError) {
    try terminal.readKeys()
    output.write(Sequences.enter)
    redraw()
  }

  func leave() {
    contents.withLock { $0.drawn = nil }
    output.write(Sequences.leave)
    terminal.restore()
  }

  /// Draws what differs from what is shown.
  func draw(_ screen: Screen) {
    contents.withLock {
      $0.screen = screen
      if $0.drawn != nil { draw(&$0) }
    }
  }

  /// Draws all anew.
  func redraw() {
    contents.withLock {
      $0.drawn = []
      draw(&$0)
    }
  }

  private func draw(_ contents: inout Contents) {
    guard let screen = contents.screen, let drawn = contents.drawn else { return }
    output.write(Sequences.draw(screen, over: drawn))
    contents.drawn = screen.rows
  }
}
