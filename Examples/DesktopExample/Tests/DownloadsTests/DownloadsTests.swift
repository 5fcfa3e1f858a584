import Foundation
import Glue
import GlueJournal
import GlueTesting
import Testing

@testable import Downloads

@Suite("Downloads")
struct DownloadsTests {
  let a = UUID(), b = UUID(), c = UUID()

  func url(_ id: UUID) throws -> URL { try #require(URL(string: "http://host/\(id)")) }
  func fetch(_ id: UUID) throws -> LastingEffect {
    Fetch(id: id, url: try url(id)).lasting(id: "fetch").inside(id)
  }
  func sweep(_ ids: UUID...) -> LastingEffect { Sweep(kept: ids).lasting(id: "sweep") }
  func some(_ ids: UUID...) throws -> Downloads {
    var state = Downloads()
    for id in ids { state.items[id] = Download(url: try url(id)) }
    state.list.present = ids
    return state
  }

  /// A new folder, removed after the body.
  func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = URL.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test(
    "an address that is no file on the web is refused",
    arguments: ["", "hello", "file:///etc/passwd", "http://", "http://host/", "ftp://h/x"])
  func refused(text: String) {
    expect(downloads, from: Downloads(), when: AddIntent.add(a, text)) {
      $0.notice = "That isn’t the address of a file on the web."
    }
  }

  @Test("an added download begins, and its part is kept")
  func added() async throws {
    let test = TestStore(
      state: Downloads(), reducer: downloads, lasting: lasting, began: [sweep()])
    let insert = ListIntent.insert(a, try url(a))
    await test.send(AddIntent.add(a, "http://host/\(a)"), effects: [Send(insert)])
    let item = Download(url: try url(a))
    await test.receive(insert, began: [try fetch(a), sweep(a)], ceased: [sweep()]) {
      $0.items[a] = item
      $0.list.step { $0 = [a] }
    }
    await test.finish()
  }

  @Test("two run at once, and pausing one lets the next run")
  func paused() async throws {
    let test = TestStore(
      state: try some(a, b, c), reducer: downloads, lasting: lasting,
      began: [try fetch(a), try fetch(b), sweep(a, b, c)])
    await test.send(
      DownloadIntent.pause, in: a, began: [try fetch(c)],
      ceased: [try fetch(a)]
    ) { $0.items[a]?.phase = .paused }
    await test.finish()
  }

  @Test("removing is undone")
  func undone() async throws {
    let test = TestStore(
      state: try some(a), reducer: downloads, lasting: lasting, began: [try fetch(a), sweep(a)])
    await test.send(
      ListIntent.remove([a]), began: [sweep()], ceased: [try fetch(a), sweep(a)]
    ) { $0.list.step { $0 = [] } }
    await test.send(
      HistoryIntent.undo, began: [try fetch(a), sweep(a)], ceased: [sweep()]
    ) { $0.list.jump(by: -1) }
    await test.finish()
  }

  @Test("a removed download is forgotten when no undo can bring it back")
  func forgotten() throws {
    var state = try some(a)
    _ = downloads(&state, ListIntent.remove([a]))
    for _ in 0..<99 { _ = downloads(&state, ListIntent.insert(UUID(), try url(b))) }
    #expect(state.items[a] != nil)
    _ = downloads(&state, ListIntent.insert(b, try url(b)))
    #expect(state.items[a] == nil)
    #expect(state.items.count == 100)
  }

  @Test("the list is filtered when typing pauses")
  func filtered() async throws {
    let test = TestStore(
      state: try some(a, b), reducer: downloads, lasting: lasting,
      began: [try fetch(a), try fetch(b), sweep(a, b)])
    func apply(_ text: String) -> any Effect {
      Send(FilterIntent.apply(text)).scheduled(.debounce(.milliseconds(200)), id: "filter")
    }
    let text = "\(b)".lowercased()
    await test.send(FilterIntent.type("x"), effects: [apply("x")])
    await test.clock.advance(by: .milliseconds(199))
    await test.send(FilterIntent.type(text), effects: [apply(text)])
    await test.clock.advance(by: .milliseconds(200))
    await test.receive(FilterIntent.apply(text)) { $0.filter = text }
    #expect(test.state.shown == [b])
    await test.finish()
  }

  @Test("a failed download continues where it was")
  func continued() async throws {
    try await withFolder { folder in
      let test = TestStore(
        state: try some(a), reducer: downloads, lasting: lasting, began: [try fetch(a), sweep(a)])
      test.exhaustivity = .off
      test.add(
        effectHandler: Fetching(into: folder) { _, start in
          Fetching.Parts {
            $0.yield(.bytes(Data(start == 0 ? "Hello".utf8 : ", world".utf8)))
            $0.finish(throwing: start == 0 ? Refused(status: 500) : nil)
          }
        })
      let failure = DownloadIntent.fail("The server answered 500")
      await test.receive(failure, in: a)
      await test.send(DownloadIntent.start, in: a)
      await test.receive(DownloadIntent.finish, in: a)
      let text = try String(contentsOf: folder.appending(path: "\(a)"), encoding: .utf8)
      #expect(text == "Hello, world")
      await test.finish()
    }
  }

  @Test("parts of downloads that are not listed go, and nothing else")
  func swept() async throws {
    try await withFolder { folder in
      for name in ["\(a).part", "\(b).part", "movie.mp4"] {
        try Data().write(to: folder.appending(path: name))
      }
      Sweep(kept: [a]).clean(folder)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.sorted() == ["\(a).part", "movie.mp4"])
    }
  }

  @Test("downloads outlive the program")
  func outliving() async throws {
    try await withFolder { folder in
      func open() throws -> Store<Downloads> {
        try Store(
          state: Downloads(), reducer: downloads,
          journal: Journal(at: folder.appending(path: "journal").path, format))
      }
      let before: Downloads
      do {
        let store = try open()
        store.dispatch(AddIntent.add(a, "http://host/\(a)"))
        store.dispatch(ElementIntent(id: a, intent: DownloadIntent.pause))
        await store.shutdown()
        before = store.state
      }
      #expect(before.items[a]?.phase == .paused)
      #expect(try open().state == before)
    }
  }
}
