import Glue

/// Shows a line of a file in the user's editor or pager, which has the terminal meanwhile.
///
/// It is no asynchronous handler: while it runs, the loop that draws and reads keys has to wait.
final class OpenHandler: EffectHandler {
  private let screen: FullScreen
  private let command: String

  /// - Parameters:
  ///   - screen: where this program shows its own.
  ///   - environment: may name the user's programs.
  init(screen: FullScreen, environment: [String: String]) {
    self.screen = screen
    let choices = [environment["EDITOR"], environment["PAGER"]].compactMap { $0 }
    command = choices.first { !$0.isEmpty } ?? "less"
  }

  func handle(effect: OpenEffect, dispatch: @escaping DispatchFunc) {
    screen.leave()
    // A shell finds the words of the command, which may have arguments of its own.
    let status = runInForeground(
      "/bin/sh",
      ["-c", "\(command) \"$@\"", "sh", "+\(effect.line)"].map { Array($0.utf8) }
        + [effect.file.argument])
    try? screen.enter()  // If that fails the terminal is gone, as the next key will tell.
    if status != 0 {
      dispatch(SearchIntent.failToOpen("\"\(command)\" ended with status \(status)."))
    }
  }
}
