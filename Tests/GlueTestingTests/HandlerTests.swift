import Foundation
import Glue
import GlueTesting
import Testing

@Suite("A recording handler")
struct RecordingHandlerTests {
  @Test("keeps the effects of its type, and replies")
  func recording() {
    let store = Store(state: Counter(value: 4), reducer: counter)
    let all = RecordingHandler<any Effect>()
    let none = RecordingHandler<SearchEffect>()
    let stub = RecordingHandler { (effect: CounterEffect) in
      if case .save = effect { [CounterIntent.decrement] } else { [] }
    }
    store.add(effectHandler: all)
    store.add(effectHandler: none)
    store.add(effectHandler: stub)
    store.dispatch(CounterIntent.increment)
    #expect(all.effects == [CounterEffect.playSound, .save(5)])
    #expect(none.effects == [])
    #expect(stub.effects.count == 2)
    #expect(store.state.value == 4)
  }
}

@Suite("The contract of handlers")
struct HandlerContractTests {
  private struct Deaf: AsyncEffectHandler {
    let clock: TestClock
    func handle(effect: any Effect, dispatch: @escaping DispatchFunc) async {
      if !(effect is SearchEffect) { return dispatch(SearchIntent.cleared) }
      await Task { try? await clock.sleep(for: .seconds(1)) }.value
    }
  }

  /// Keeps itself.
  private final class Clinging: EffectHandler {
    private var me: Clinging?
    func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) { me = self }
  }

  /// Retains itself as well, by a task that never ends.
  private final class AsyncClinging: AsyncEffectHandler {
    let clock: TestClock
    init(clock: TestClock) { self.clock = clock }
    func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
      Task { try? await clock.sleep(for: .seconds(1)) }
    }
  }

  @Test("is kept by a good one")
  func good() async {
    await checkContract(effects: [SearchEffect.query("a")]) { Searching(clock: $0) }
    await checkContract(effects: [SearchEffect.query("a"), CounterEffect.playSound]) { _ in
      RecordingHandler<any Effect>()
    }
  }

  @Test("is broken by one that ignores its cancellation, or answers an unknown effect")
  func deaf() async {
    let messages = await failures {
      await checkContract(effects: [SearchEffect.query("a")], within: .zero) { Deaf(clock: $0) }
    }
    #expect(
      messages == [
        #"Deaf did not return when SearchEffect.query("a") was canceled while it ran."#,
        #"Deaf did not return when SearchEffect.query("a") was canceled before it had begun."#,
        "Deaf dispatched an intent for an effect that it can't know.",
      ])
  }

  /// Returns some time after its cancellation, when a queue gets to it.
  private struct Slow: AsyncEffectHandler {
    func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      await withTaskCancellationHandler {
        await Task { for await _ in stream {} }.value
      } onCancel: {
        after(100) { continuation.finish() }
      }
    }
  }

  @Test("is kept by one that takes real time to return, if it is given that")
  func slow() async {
    await checkContract(effects: [SearchEffect.query("a")], within: .seconds(60)) { _ in Slow() }
  }

  /// Heeds its cancellation only if that comes while it sleeps.
  private struct LateListener: AsyncEffectHandler {
    let clock: TestClock
    func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
      if Task.isCancelled { return await Task { try? await clock.sleep(for: .seconds(1)) }.value }
      try? await clock.sleep(for: .seconds(1))
    }
  }

  @Test("is broken by one that ignores a cancellation before it begins")
  func canceledEarly() async {
    let messages = await failures {
      await checkContract(effects: [SearchEffect.query("a")], within: .zero) {
        LateListener(clock: $0)
      }
    }
    #expect(
      messages == [
        #"LateListener did not return when SearchEffect.query("a") was canceled before it had "#
          + "begun."
      ])
  }

  @Test("is broken by one that is called for other effects")
  func wrongType() async {
    let messages = await failures {
      await checkContract(effects: [CounterEffect.playSound]) { Searching(clock: $0) }
    }
    #expect(
      messages == ["Searching is not called for CounterEffect.playSound: it handles SearchEffect."])
  }

  @Test("is broken by one that outlives its store")
  func clinging() async {
    let messages = await failures {
      await checkContract(effects: [SearchEffect.query("a")]) { _ in Clinging() }
    }
    #expect(messages == ["Clinging is still retained after its store was released."])
    let others = await failures {
      await checkContract(effects: [SearchEffect.query("a")]) { AsyncClinging(clock: $0) }
    }
    #expect(others == ["AsyncClinging is still retained after its store was released."])
  }
}
