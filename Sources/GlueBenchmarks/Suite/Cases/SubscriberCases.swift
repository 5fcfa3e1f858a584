import Glue

/// Dispatching to subscribers whose value changes, and to others whose value does not.
func subscriberGroup() -> Group {
  let numbers = [1, 10, 100, 1000]
  return Group(
    name: "subscribers",
    subjects: [
      counterFloor(intent: .add(1)),
      Subject(name: "none") {
        .dispatching(.add(1), to: Store(state: Counter(), reducer: counter))
      },
    ] + numbers.map(idle) + numbers.map(changed))
}

private func idle(_ number: Int) -> Subject {
  Subject(name: "\(number) idle") {
    let store = Store(state: Counter(), reducer: counter)
    let calls = CallCount()
    let subscriptions = (0..<number).map { _ in
      store.subscribe(selector: \.constant) { _ in calls.add() }
    }
    return .dispatching(.add(1), to: store) { _ in
      withExtendedLifetime(subscriptions) { calls.count == number }
    }
  }
}

private func changed(_ number: Int) -> Subject {
  Subject(name: "\(number) changed") {
    let store = Store(state: Counter(), reducer: counter)
    let calls = CallCount()
    let subscriptions = (0..<number).map { _ in
      store.subscribe(selector: \.value) { _ in calls.add() }
    }
    return .dispatching(.add(1), to: store) { total in
      withExtendedLifetime(subscriptions) { calls.count == number * (1 + total) }
    }
  }
}
