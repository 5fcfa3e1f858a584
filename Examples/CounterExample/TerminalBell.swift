import Glue
import TerminalSupport

/// Plays sounds by writing the bell character, which moves no cursor.
final class TerminalBell: EffectHandler {
  private let output: Output

  init(output: Output) {
    self.output = output
  }

  func handle(effect: AppEffect, dispatch: @escaping DispatchFunc) {
    switch effect {
    case .playSound: output.write("\u{7}")
    }
  }
}
