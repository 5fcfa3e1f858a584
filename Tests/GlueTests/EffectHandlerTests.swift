import Glue
import ProcessSupport
import Testing

@Suite("Effect handlers")
struct EffectHandlerTests {
  struct OtherEffect: Effect {}
  enum Emit: Intent { case both }

  private func storeOfBoth() -> Store<Int> {
    Store(state: 0) { (_: inout Int, _: Emit) in [CounterEffect.wrote(1), OtherEffect()] }
  }

  @Test("a handler without a type of its own gets all effects")
  func allEffects() {
    final class All: EffectHandler {
      let transcript: Transcript<String>
      init(_ transcript: Transcript<String>) { self.transcript = transcript }

      func handle(effect: Effect, dispatch: @escaping DispatchFunc) {
        transcript.write("\(effect)")
      }
    }
    let store = storeOfBoth()
    let transcript = Transcript<String>()
    store.add(effectHandler: All(transcript))
    store.dispatch(Emit.both)
    #expect(transcript.lines == ["wrote(1)", "OtherEffect()"])
  }

  @Test("a handler of one type gets that type alone")
  func oneType() {
    final class One: EffectHandler {
      let transcript: Transcript<CounterEffect>
      init(_ transcript: Transcript<CounterEffect>) { self.transcript = transcript }

      func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) {
        switch effect {
        case .wrote: transcript.write(effect)
        }
      }
    }
    let store = storeOfBoth()
    let transcript = Transcript<CounterEffect>()
    store.add(effectHandler: One(transcript))
    store.dispatch(Emit.both)
    #expect(transcript.lines == [.wrote(1)])
  }

  @Test("a closure gets the effects of the type it names")
  func closure() {
    let store = storeOfBoth()
    let transcript = Transcript<String>()
    store.on(OtherEffect.self) { effect, _ in transcript.write("\(effect)") }
    store.dispatch(Emit.both)
    #expect(transcript.lines == ["OtherEffect()"])
  }

  @Test("a handler's own protocol of effects gets the types that conform to it")
  func protocolOfEffects() {
    final class Named: EffectHandler {
      let transcript: Transcript<String>
      init(_ transcript: Transcript<String>) { self.transcript = transcript }

      func handle(effect: any NamedEffect, dispatch: @escaping DispatchFunc) {
        transcript.write(effect.name)
      }
    }
    let store = Store(state: 0) { (_: inout Int, _: Emit) in
      [OtherEffect(), Beep(), CounterEffect.wrote(1)]
    }
    let transcript = Transcript<String>()
    store.add(effectHandler: Named(transcript))
    store.dispatch(Emit.both)
    #expect(transcript.lines == ["beep"])
  }

  @Test("a handler of a class of effects gets those of its subclasses")
  func subclassOfEffects() {
    class Sound: Effect, @unchecked Sendable {}
    final class Chord: Sound, @unchecked Sendable {}
    let store = Store(state: 0) { (_: inout Int, _: Emit) -> [any Effect] in
      [OtherEffect(), Sound(), Chord()]
    }
    let transcript = Transcript<String>()
    store.on(Sound.self) { effect, _ in transcript.write("\(type(of: effect))") }
    store.dispatch(Emit.both)
    #expect(transcript.lines == ["Sound", "Chord"])
  }

  @Test("a handler need not be Sendable, and keeps what it has between calls")
  func notSendable() {
    final class Player {
      var played = 0
    }
    final class SoundEffectHandler: EffectHandler {
      private var player = Player()
      let transcript: Transcript<Int>
      init(_ transcript: Transcript<Int>) { self.transcript = transcript }

      func handle(effect: Effect, dispatch: @escaping DispatchFunc) {
        guard case CounterEffect.wrote = effect else { return }
        player.played += 1
        transcript.write(player.played)
      }
    }
    let store = storeOfBoth()
    let transcript = Transcript<Int>()
    store.add(effectHandler: SoundEffectHandler(transcript))
    for _ in 1...3 { store.dispatch(Emit.both) }
    #expect(transcript.lines == [1, 2, 3])
  }

  @Test("the same handler added twice is called twice")
  func addedTwice() {
    let store = Store()
    let transcript = Transcript<Int>()
    for _ in 1...2 { store.onWrote { number, _ in transcript.write(number) } }
    store.write(1)
    #expect(transcript.lines == [1, 1])
  }

  @Test("a callback may be kept and called later, from another thread", .tags(.threads))
  func keptCallback() async {
    let store = Store()
    let kept = Shared<DispatchFunc?>(nil)
    store.onWrote { _, dispatch in kept.value = dispatch }
    store.write(1)
    await onThread { kept.value?(CounterIntent.add(41)) }
    #expect(store.state.value == 42)
  }
}

protocol NamedEffect: Effect { var name: String { get } }

private struct Beep: NamedEffect { var name: String { "beep" } }
