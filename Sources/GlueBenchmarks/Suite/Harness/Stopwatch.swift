/// Runs a body; returns how many nanoseconds it took.
func nanoseconds(_ body: () -> Void) -> Double {
  ContinuousClock().measure(body) / .nanoseconds(1)
}
