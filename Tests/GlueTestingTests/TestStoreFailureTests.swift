import Glue
import GlueTesting
import Testing

@Suite("A test store fails")
struct TestStoreFailureTests {
  @Test("for a reducer that is broken")
  func brokenReducer() async {
    let messages = await failures {
      let test = TestStore(state: Counter(value: 4), reducer: counter)
      await test.send(CounterIntent.increment, effects: [CounterEffect.playSound]) { $0.value = 6 }
      await test.send(CounterIntent.increment) { $0.value = 6 }
    }
    #expect(
      messages == [
        """
        CounterIntent.increment did not behave as expected.
        The state differs from the expected one (expected → actual):
          value: 6 → 5
        The effects are others than expected:
          + CounterEffect.save(5) (emitted, not expected)
        """
      ])
  }

  @Test("for an effect that the reducer forgets")
  func forgottenEffect() async {
    let messages = await failures {
      let test = TestStore(state: Counter(), reducer: counter)
      await test.send(CounterIntent.increment, effects: [CounterEffect.playSound]) { $0.value = 1 }
    }
    #expect(
      messages == [
        """
        CounterIntent.increment did not behave as expected.
        The effects are others than expected:
          − CounterEffect.playSound (expected, not emitted)
        """
      ])
  }

  @Test("for effects in another order, which it distinguishes from others, in every mode")
  func otherOrder() async {
    let exhaustivities = [TestStore<Counter>.Exhaustivity.on, .off]
    for exhaustivity in exhaustivities {
      let messages = await failures {
        let test = TestStore(
          state: Counter(value: 4), reducer: counter, exhaustivity: exhaustivity)
        await test.send(
          CounterIntent.increment, effects: [CounterEffect.save(5), CounterEffect.playSound]
        ) { $0.value = 5 }
        let other = TestStore(
          state: Counter(value: 4),
          reducer: { (state: inout Counter, intent: CounterIntent) -> [any Effect] in
            counter(state: &state, intent: intent) + [CounterEffect.save(6)]
          }, exhaustivity: exhaustivity)
        await other.send(
          CounterIntent.increment, effects: [CounterEffect.save(5), CounterEffect.playSound]
        ) { $0.value = 5 }
      }
      let order = """
        CounterIntent.increment did not behave as expected.
        The effects are in another order than expected:
          expected CounterEffect.save(5), CounterEffect.playSound
          emitted  CounterEffect.playSound, CounterEffect.save(5)
        """
      let others = """
        , CounterEffect.save(6)
        The effects are others than expected:
          + CounterEffect.save(6) (emitted, not expected)
        """
      let isExhaustive = exhaustivity == .on
      #expect(messages == [order, order + (isExhaustive ? others : ", CounterEffect.save(6)")])
    }
  }

  private func started(
    _ handler: @Sendable (TestStore<Search>) -> Void = { _ in }
  ) async -> TestStore<Search> {
    let test = TestStore(state: Search(), reducer: search)
    handler(test)
    await test.send(SearchIntent.typed("a"), effects: [query("a")]) {
      $0.text = "a"
      $0.isSearching = true
    }
    return test
  }

  @Test("for an effect that waits at the end")
  func waitingEffect() async {
    let messages = await failures {
      let test = await started()
      await test.finish()
    }
    #expect(
      messages == [
        """
        1 effect is still in flight at the end of the test:
          \(debounced("a")) of SearchIntent.typed("a") waits for its time
        Advance the clock until it ends, have it canceled, or skip it: `skipInFlight()`, \
        `exhaustivity = .off`.
        Work that must end with a part of the state, such as an element, should last: `lasting:`.
        """
      ])
  }

  @Test("for a task that leaks, named with its handler")
  func leakedTask() async {
    let messages = await failures {
      let test = await started { $0.add(effectHandler: Searching(clock: $0.clock)) }
      await test.clock.advance(by: .milliseconds(500))
      await test.finish()
    }
    #expect(
      messages == [
        """
        1 effect is still in flight at the end of the test:
          \(debounced("a")) of SearchIntent.typed("a") runs in Searching
        Advance the clock until it ends, have it canceled, or skip it: `skipInFlight()`, \
        `exhaustivity = .off`.
        Work that must end with a part of the state, such as an element, should last: `lasting:`.
        """
      ])
  }

  @Test("for a task that does not return when it is canceled")
  func deafTask() async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let messages = await failures {
      let test = await started {
        $0.on(SearchEffect.self) { _, _ async in
          await Task { for await _ in stream {} }.value
        }
      }
      await test.clock.advance(by: .milliseconds(500))
      await test.send(SearchIntent.cleared, effects: [CancelEffects(id: "search")]) {
        $0 = Search()
      }
      await test.finish()
    }
    continuation.finish()
    #expect(
      messages == [
        """
        1 effect is still in flight at the end of the test:
          SearchEffect.query("a") was canceled, but its task in a closure on SearchEffect has not \
        returned
        Advance the clock until it ends, have it canceled, or skip it: `skipInFlight()`, \
        `exhaustivity = .off`. Work outside of the clock's executor, such as on the main \
        actor, in a `Task { }` or on a queue, needs real time: `finish(within: .seconds(1))`.
        Work that must end with a part of the state, such as an element, should last: `lasting:`.
        """
      ])
  }

  @Test("for an intent that was not received, at the next step, at the end, and when released")
  func unreceived() async {
    let searching: @Sendable (TestStore<Search>) -> Void = { test in
      test.stub(SearchEffect.self) { _ in [SearchIntent.found(["b"])] }
    }
    let messages = await failures {
      let test = await started(searching)
      await test.clock.run()
      await test.send(SearchIntent.cleared, effects: [CancelEffects(id: "search")]) {
        $0 = Search()
      }
      await test.finish()
      let other = await started(searching)
      await other.clock.run()
      await other.finish()
      let third = await started(searching)
      await third.clock.run()
    }
    let ways = "\nReceive it, or skip it: `skipReceived()`, `exhaustivity = .off`."
    let line =
      #"SearchIntent.found(["b"]), from the effect \#(debounced("a")) of SearchIntent.typed("a")"#
    #expect(
      messages == [
        "1 intent was not received before `send` of SearchIntent.cleared:\n  \(line)\(ways)",
        "1 intent was not received at the end of the test:\n  \(line)\(ways)",
        "1 intent was not received when the TestStore was released:\n  \(line)\(ways)",
      ])
  }

  @Test("for an intent that does not come, or is another one")
  func notReceived() async {
    let messages = await failures {
      let test = await started { test in
        test.stub(SearchEffect.self) { _ in [SearchIntent.found(["b"])] }
      }
      await test.receive(SearchIntent.found([]))
      await test.clock.run()
      await test.receive(SearchIntent.found([]))
      await test.receive(any: SearchIntent.self)
      await test.finish()
    }
    #expect(
      messages == [
        """
        Expected to receive SearchIntent.found([]), but no intent came. In flight:
          \(debounced("a")) of SearchIntent.typed("a") waits for its time
        Advance the clock until it ends, have it canceled, or skip it: `skipInFlight()`, \
        `exhaustivity = .off`.
        """,
        """
        Expected to receive SearchIntent.found([]), but another intent came:
          SearchIntent.found(["b"]), from the effect \(debounced("a")) of SearchIntent.typed("a")
          Expected → actual:
            found[0]: added "b"
        """,
        """
        Expected to receive a SearchIntent, but no intent came. No effect is in flight that could \
        send one; no `lasting:` was given.
        """,
      ])
  }

  @Test("for changes expected of an intent that a middleware drops")
  func dropped() async {
    let drop: Middleware<Counter> = { _, _ in { _ in { _ in } } }
    let messages = await failures {
      let test = TestStore(state: Counter(), reducer: counter, middleware: [drop])
      await test.send(CounterIntent.increment) { $0.value = 1 }
      await test.finish()
    }
    #expect(
      messages == [
        """
        CounterIntent.increment did not reach the reducer: a middleware has dropped or replaced it.
        The state differs from the expected one (expected → actual):
          value: 1 → 0
        """
      ])
  }

  @Test("at the caller's line")
  func location() async {
    let line = #line + 3
    let issues = await recordedIssues {
      let test = TestStore(state: Counter(), reducer: counter)
      await test.send(CounterIntent.increment)
    }
    #expect(issues.map(\.sourceLocation?.line) == [line])
    #expect(issues.first?.sourceLocation?.fileName == "TestStoreFailureTests.swift")
  }
}
