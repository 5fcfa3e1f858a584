import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("100,000 effects from four threads, canceled at random", .tags(.threads))
struct EffectStressTests {
  private static let threads = 4
  private static let effectsPerThread = 25_000

  private struct Counted: Effect {
    let kind: Int
    let token: OnDeinit
  }

  private struct Step: Intent {
    let effects: [any Effect]
  }

  @Test("every run ends, the store settles, and nothing is kept", arguments: [UInt32(1)])
  func stress(seed: UInt32) async {
    let (effects, runs) = (Tokens(), Tokens())
    var store: Store<Int>? = Store(state: 0) { (state: inout Int, intent: Step) in
      state += 1
      return intent.effects
    }
    let stores = Tokens()
    handle(by: store, counting: runs)
    hold(stores.token(), by: store)

    await flood(store, seed: seed, counting: effects)
    await store?.settled()

    await runs.none()
    #expect(effects.made == Self.threads * Self.effectsPerThread)
    #expect(runs.made > Self.threads * Self.effectsPerThread / 10)
    #expect(store?.state ?? 0 >= effects.made)
    let state = store?.state
    await store?.shutdown()
    #expect(store?.state == state)
    store = nil
    await stores.none()
    await effects.none()
  }

  @Test("a shutdown in the midst of it ends all", arguments: [UInt32(2)])
  func shutdown(seed: UInt32) async {
    let (effects, runs) = (Tokens(), Tokens())
    await shutDown(in: seed, counting: effects, runs)
    await effects.none()
  }

  /// The store goes at the end, with the effects that never started, which it keeps for later calls.
  private func shutDown(in seed: UInt32, counting effects: Tokens, _ runs: Tokens) async {
    let store = Store(state: 0) { (state: inout Int, intent: Step) in
      state += 1
      return intent.effects
    }
    handle(by: store, counting: runs)
    async let flooded: Void = flood(store, seed: seed, counting: effects)
    await effects.made(atLeast: 5000)
    await store.shutdown()
    await runs.none()
    let runsMade = runs.made
    await flooded
    await store.settled()
    #expect(runs.made == runsMade)
    #expect(store.state >= effects.made)
  }

  /// Lets a token live as long as the store, which a thread that has just ended an effect may still
  /// use for a moment.
  private func hold(_ token: OnDeinit, by store: Store<Int>?) {
    store?.on(Unhandled.self) { (_: Unhandled, _: DispatchFunc) in
      withExtendedLifetime(token) {}
    }
  }

  private struct Unhandled: Effect {}

  private func handle(by store: Store<Int>?, counting runs: Tokens) {
    store?.on(Counted.self) { effect, dispatch in
      let token = runs.token()
      if effect.kind % 2 == 0 { await Task.yield() }
      if effect.kind % 5 == 0 { dispatch(Step(effects: [])) }
      withExtendedLifetime(token) {}
    }
    store?.on(Counted.self) { (effect: Counted, dispatch: DispatchFunc) in
      if effect.kind % 7 == 0 { dispatch(Step(effects: [CancelEffects(id: effect.kind % 64)])) }
    }
  }

  private func flood(_ store: Store<Int>?, seed: UInt32, counting effects: Tokens) async {
    guard let store else { return }
    await onThread {
      onThreads(Self.threads) { thread in
        var random = Xorshift(seed: UInt64(seed &* 100 &+ UInt32(thread)))
        for _ in 0..<Self.effectsPerThread {
          let effect = Counted(kind: random.next(below: 1000), token: effects.token())
          store.dispatch(Step(effects: random.scheduled(effect)))
        }
      }
    }
  }
}

extension Xorshift {
  /// An effect with a policy or without one, and perhaps a cancellation.
  fileprivate mutating func scheduled(_ effect: some Effect) -> [any Effect] {
    let duration = Duration.microseconds(next(below: 300))
    let id = next(below: 64)
    switch next(below: 8) {
    case 0: return [effect.scheduled(.latest, id: id)]
    case 1: return [effect.scheduled(.leading, id: id)]
    case 2: return [effect.scheduled(.sequential, id: id)]
    case 3: return [effect.scheduled(.debounce(duration), id: id)]
    case 4: return [effect.scheduled(.throttle(duration), id: id)]
    case 5: return [effect.scheduled(.delay(duration), id: id)]
    case 6: return [effect, CancelEffects(id: id)]
    default: return [effect]
    }
  }
}
