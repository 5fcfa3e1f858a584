import Foundation
import Glue
import GlueInspector

/// Everything that a page must show as text, or say that it can't.
struct Hostile: Sendable {
  var text = ""
  var number = 0.0
  var big: UInt64 = 0
  var markup = Markup()
  var node = Node()
  var endless = Endless()
  var keys: [String: Int] = [:]
  var many: [Int] = []
}

struct Markup: Sendable, CustomStringConvertible {
  var description: String { "<img src=x onerror=window.ran=1><script>window.ran=1</script>" }
}

/// An object that leads to itself.
final class Node: Sendable {
  nonisolated(unsafe) var next: Node?  // Sound: it is set once, before others see it.
  init() { next = self }
}

/// A value without end.
struct Endless: Sendable, CustomReflectable {
  var customMirror: Mirror { Mirror(self, children: ["inner": Endless()]) }
}

enum HostileIntent: Intent, CustomStringConvertible {
  case set(String), grow

  var description: String {
    switch self {
    case .set(let text): text
    case .grow: "</script><script>window.ran=1</script>"
    }
  }
}

struct Shout: Effect, CustomStringConvertible {
  let description: String
}

func hostile(state: inout Hostile, intent: HostileIntent) -> [any Effect] {
  switch intent {
  case .set(let text):
    state.text = text
    state.keys[text] = text.utf8.count
    return [Shout(description: text).scheduled(.concurrent, id: text)]
  case .grow:
    state.number = .nan
    state.big = .max
    state.many = Array(0..<100_000)
  }
  return []
}

func writeHostile(to folder: String) throws {
  let inspector = Inspector<Hostile>()
  let store = Store(state: Hostile(), reducer: hostile, monitors: [inspector])
  store.on(Shout.self) { _, _ in }
  let texts = [
    "</script><script>window.ran = 1</script>", "<!--<script>", "]]>", "'\"`\\", "\u{2028}\u{2029}",
    "\u{0}\u{1}\u{1B}[31m\u{7F}\u{9B}", "\u{202E}drawkcab\u{2066}", "a\nb\r\nc\td", "&lt;b&gt;",
    "\u{FEFF}",
    "🧑🏽‍🚀 e\u{301} 漢字", "{{constructor}}", "__proto__", "javascript:window.ran=1",
    String(decoding: [0xED, 0xA0, 0x80, 0xFF], as: UTF8.self),
    String(repeating: "x", count: 10_000_000),
  ]
  for text in texts { store.dispatch(HostileIntent.set(text)) }
  store.dispatch(HostileIntent.grow)
  try inspector.writePage(to: "\(folder)/hostile.html")
}
