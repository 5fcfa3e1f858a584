import Foundation
import Glue

/// Shows a line of a file in the user's editor or pager, which has the terminal meanwhile.
final class OpenHandler: EffectHandler {
  private let terminal: Terminal

  init(terminal: Terminal) {
    self.terminal = terminal
  }

  func handle(effect: OpenEffect, dispatch: @escaping DispatchFunc) {
    let environment = ProcessInfo.processInfo.environment
    let commands = ["EDITOR", "PAGER"].compactMap { environment[$0] }
    let command = commands.first { !$0.isEmpty } ?? "less"
    // A shell finds the words of the command, which may have arguments of its own.
    let arguments = ["-c", "\(command) \"$@\"", "sh", "+\(effect.line)"].map { Array($0.utf8) }
    terminal.lend(to: "/bin/sh", arguments + [effect.file.argument]) { status in
      if status != 0 {
        dispatch(SearchIntent.failToOpen("\"\(command)\" ended with status \(status)."))
      }
    }
  }
}
