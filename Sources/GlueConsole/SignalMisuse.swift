import Foundation

/// Stops the program: a signal that ends it was given a body as well.
func stopForSignalThatEnds(_ number: Int32, _ signals: [Int32]) -> Never {
  let others = signals.filter { $0 != number }.map(name).joined(separator: ", ")
  fatalError(
    """
    Glue: onSignal(\(name(number))) was called on a console that \(name(number)) ends. One signal \
    can't do both.
      Wrong: Console() and console.onSignal(\(name(number))) { … }
      Right: console.run(store, last: AppIntent.save), for what happens at the end; or \
    Console(endedBy: [\(others)]), for a signal that does not end the program
    """)
}

private func name(_ signal: Int32) -> String {
  switch signal {
  case SIGINT: "SIGINT"
  case SIGTERM: "SIGTERM"
  case SIGHUP: "SIGHUP"
  case SIGQUIT: "SIGQUIT"
  default: "\(signal)"
  }
}
