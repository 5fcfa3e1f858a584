import Glue
import ProcessSupport
import Testing

@Suite("G4: a subscriber gets each change once, with that commit's value", .unwatched)
struct G4ExactlyOnceTests {
  @Test("each commit's own value, though later intents are already reduced")
  func valueOfTheCommit() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let transcript = Transcript<Int>()
    let subscription = store.subscribe(selector: \.value) { transcript.write($0) }

    for _ in 1...3 { store.add(1) }
    pump.run()

    #expect(transcript.lines == [0, 1, 2, 3])
    withExtendedLifetime(subscription) {}
  }

  @Test("an Equatable value is delivered only when it changes")
  func repeatsAreSkipped() {
    let store = Store()
    let transcript = Transcript<Bool>()
    let subscription = store.subscribe(selector: { $0.value > 1 }) { transcript.write($0) }

    for number in [0, 1, 1, 1, -3, 0] { store.add(number) }

    #expect(transcript.lines == [false, true, false])
    withExtendedLifetime(subscription) {}
  }

  @Test("a value that changes there and back before its delivery is delivered each time")
  func thereAndBack() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let transcript = Transcript<Int>()
    let subscription = store.subscribe(selector: \.value) { transcript.write($0) }

    for number in [1, -1, 1, -1] { store.add(number) }
    pump.run()

    #expect(transcript.lines == [0, 1, 0, 1, 0])
    withExtendedLifetime(subscription) {}
  }

  @Test("a value that is not Equatable is delivered at every commit")
  func withoutEquality() {
    struct Opaque: Sendable { var value: Int }
    let store = Store()
    let transcript = Transcript<Int>()
    let selected = store.subscribe(selector: { Opaque(value: $0.value) }) {
      transcript.write($0.value)
    }
    let whole = store.subscribe { transcript.write(100 + $0.value) }

    store.dispatch(CounterIntent.ignore)
    store.add(1)

    #expect(transcript.lines == [0, 100, 0, 100, 1, 101])
    withExtendedLifetime((selected, whole)) {}
  }

  @Test("a whole state that is Equatable is delivered only when it changes")
  func wholeState() {
    let store = Store(state: 0) { (state, intent: CounterIntent) in
      if case .add(let number) = intent { state += number }
      return []
    }
    let transcript = Transcript<Int>()
    let subscription = store.subscribe { transcript.write($0) }

    for number in [0, 2, 0] { store.dispatch(CounterIntent.add(number)) }

    #expect(transcript.lines == [0, 2])
    withExtendedLifetime(subscription) {}
  }

  @Test("no value is lost or delivered twice under four dispatching threads", .tags(.threads))
  func underThreads() async {
    let store = Store()
    let transcript = Transcript<Int>()
    let delivered = Signal()
    let subscription = store.subscribe(selector: \.value) {
      transcript.write($0)
      if $0 == 20_000 { delivered.send() }
    }

    await onThread { onThreads(4) { _ in for _ in 0..<5000 { store.add(1) } } }
    await delivered.wait()

    #expect(transcript.lines == Array(0...20_000))
    withExtendedLifetime(subscription) {}
  }
}
