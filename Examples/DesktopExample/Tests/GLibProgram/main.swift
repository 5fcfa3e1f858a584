// The program of the article MainActor, word for word; `ArticleTests` compares them.

import CGtk
import Dispatch
import Foundation
import Glue

struct Counter: Sendable { var value = 0 }
enum CounterIntent: Intent { case add(Int) }

func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
  switch intent {
  case .add(let count): state.value += count
  }
  return []
}

g_unix_fd_add_full(
  G_PRIORITY_HIGH_IDLE + 20, MainQueue.fileDescriptor, G_IO_IN,
  { _, _, _ in
    MainQueue.run()
    return 1
  }, nil, nil)

let store = Store(
  state: Counter(), reducer: counter, delivery: .queue(DispatchQueue(label: "store")))
let subscription = store.subscribe(selector: \.value) { @MainActor in print("Counter: \($0)") }
Thread.detachNewThread {
  while true {
    store.dispatch(CounterIntent.add(1))
    Thread.sleep(forTimeInterval: 1)
  }
}

let loop = g_main_loop_new(nil, 0)
g_unix_signal_add(
  SIGINT,
  { _ in
    Task { @MainActor in
      await store.shutdown()
      g_main_loop_quit(loop)
    }
    return 0
  }, nil)
g_main_loop_run(loop)
