import Glue
import ProcessSupport
import Testing

@Suite("Thunks")
struct ThunkTests {
  private let store = Store(
    state: Counter(), reducer: counter, middleware: [thunkMiddleware()])

  @Test("one runs where it is dispatched, and getState() includes what it has dispatched so far")
  func readsItsWrites() {
    let read = Transcript<Int>()
    store.dispatch(
      Thunk<Counter> { dispatch, getState in
        read.write(getState().value)
        dispatch(CounterIntent.add(1))
        read.write(getState().value)
        dispatch(CounterIntent.add(2))
        read.write(getState().value)
      })
    #expect(read.lines == [0, 1, 3])
  }

  @Test("one may dispatch another, which runs within the call")
  func nested() {
    let transcript = Transcript<String>()
    store.dispatch(
      Thunk<Counter> { dispatch, _ in
        transcript.write("outer begins")
        dispatch(
          Thunk<Counter> { dispatch, getState in
            dispatch(CounterIntent.add(1))
            transcript.write("inner, \(getState().value)")
          })
        transcript.write("outer ends")
      })
    #expect(transcript.lines == ["outer begins", "inner, 1", "outer ends"])
  }

  @Test("its functions may be kept, as by a callback, and do not keep the store")
  func keptFunctions() {
    var store: Store<Counter>? = Store(
      state: Counter(), reducer: counter, middleware: [thunkMiddleware()])
    let callback = Shared<(@Sendable () -> Int)?>(nil)
    store?.dispatch(
      Thunk<Counter> { dispatch, getState in
        callback.value = {
          dispatch(CounterIntent.add(1))
          return getState().value
        }
      })
    #expect(callback.value?() == 1)
    let weak = Weak(object: store)
    store = nil
    #expect(weak.object == nil)
    #expect(callback.value?() == 1)
  }

  @Test("it does not reach the reducer, nor the middleware after its own")
  func reachesNobody() {
    let passed = Transcript<String>()
    let reduced = Transcript<String>()
    let tracing = middleware { (chain: Chain<Int>, intent) in
      passed.write("\(type(of: intent))")
      chain.next(intent)
    }
    let store = Store(
      state: 0,
      reducer: { (_: inout Int, intent: any Intent) -> [any Effect] in
        reduced.write("\(type(of: intent))")
        return []
      }, middleware: [thunkMiddleware(), tracing])

    store.dispatch(Thunk<Int> { dispatch, _ in dispatch(CounterIntent.ignore) })

    #expect(passed.lines == ["CounterIntent"])
    #expect(reduced.lines == ["CounterIntent"])
  }

  @Test("thunks of another type of state, and other intents, are passed on")
  func passedOn() {
    let reduced = Transcript<String>()
    let store = Store(
      state: 0,
      reducer: { (_: inout Int, intent: any Intent) -> [any Effect] in
        reduced.write("\(type(of: intent))")
        return []
      }, middleware: [thunkMiddleware()])
    let hasRun = Shared(false)

    store.dispatch(Thunk<String> { _, _ in hasRun.value = true })
    store.dispatch(AsyncThunk<String> { _, _ in hasRun.value = true })
    store.dispatch(CounterIntent.ignore)

    #expect(reduced.lines == ["Thunk<String>", "AsyncThunk<String>", "CounterIntent"])
    #expect(!hasRun.value)
  }

  @Test("without the middleware that runs them they do nothing")
  func withoutMiddleware() {
    let hasRun = Shared(false)
    let store = Store()
    store.dispatch(Thunk<Counter> { _, _ in hasRun.value = true })
    store.dispatch(AsyncThunk<Counter> { _, _ in hasRun.value = true })
    #expect(!hasRun.value)
  }

  @Test("its intents go through the whole chain")
  func throughTheChain() {
    let passed = Transcript<String>()
    let tracing = middleware { (chain: Chain<Counter>, intent) in
      passed.write("\(type(of: intent))")
      chain.next(intent)
    }
    let store = Store(
      state: Counter(), reducer: counter, middleware: [tracing, thunkMiddleware()])
    store.dispatch(Thunk<Counter> { dispatch, _ in dispatch(CounterIntent.add(1)) })
    #expect(passed.lines == ["Thunk<Counter>", "CounterIntent"])
  }

  @Test("effects may have their handlers dispatch one")
  func fromAHandler() {
    store.onWrote { number, dispatch in
      dispatch(Thunk<Counter> { dispatch, _ in dispatch(CounterIntent.add(number)) })
    }
    store.write(4)
    #expect(store.state.value == 8)
  }

  @Test("several threads may run thunks at once, and none is lost", .tags(.threads))
  func threads() async {
    await onThread { [store] in
      onThreads(4) { _ in
        for _ in 0..<500 {
          store.dispatch(Thunk<Counter> { dispatch, _ in dispatch(CounterIntent.add(1)) })
        }
      }
    }
    #expect(store.state.value == 2000)
  }
}
