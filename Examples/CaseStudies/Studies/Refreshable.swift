// Refreshable: wait for exactly as long as a refresh takes.
//
// A gesture that shows its own progress awaits `store.perform(QuoteIntent.refresh)`, which returns
// when the reply is in the state. The old quote stays meanwhile, and after a failure. `.leading`
// drops a second refresh while one runs, so the service isn't asked twice.

import Glue
import GlueConsole

struct Quote: Equatable, Sendable {
  var text: String?
  var isLoading = false
  var failure: String?
}

enum QuoteIntent: Intent, Equatable { case refresh, loaded(String), failed(String) }

struct LoadQuote: Effect, Equatable {}

func quote(state: inout Quote, intent: QuoteIntent) -> [any Effect] {
  switch intent {
  case .refresh:
    state.isLoading = true
    return [LoadQuote().scheduled(.leading, id: "load")]
  case .loaded(let text): state = Quote(text: text)
  case .failed(let reason): state = Quote(text: state.text, failure: reason)
  }
  return []
}

/// A service that fails after three quotes.
actor Quotes {
  struct Tired: Error {}

  private let clock: any Clock<Duration>
  private var count = 0

  init(clock: any Clock<Duration>) { self.clock = clock }

  func next() async throws -> String {
    try await clock.sleep(for: .milliseconds(800))
    count += 1
    if count.isMultiple(of: 4) { throw Tired() }
    return "Quote \(count)"
  }
}

struct Quoting: AsyncEffectHandler {
  let quotes: Quotes

  func handle(effect: LoadQuote, dispatch: @escaping DispatchFunc) async {
    do {
      dispatch(QuoteIntent.loaded(try await quotes.next()))
    } catch {
      dispatch(QuoteIntent.failed("no quote: \(error)"))
    }
  }
}

let refreshableStudy = Study(
  "refreshable", "wait for exactly as long as a refresh takes", keys: "r: refresh",
  store: {
    Store(
      state: Quote(), reducer: quote,
      handlers: { handlers in
        handlers.add(effectHandler: Quoting(quotes: Quotes(clock: ContinuousClock())))
      })
  },
  draw: { state in
    [state.text ?? "No quote yet", state.isLoading ? "refreshing …" : state.failure ?? "done"]
  },
  press: { key, _ in key == .text("r") ? QuoteIntent.refresh : nil })
