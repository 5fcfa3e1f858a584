import Foundation
import Glue
import GlueJournal
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Beyond one process")
struct BeyondOneProcessArticle {
  struct List: Codable, Sendable {
    var items: [String] = []
  }
  enum ListIntent: Intent, Codable { case add(String) }

  @Sendable static func list(state: inout List, intent: ListIntent) -> [any Effect] {
    switch intent {
    case .add(let item): state.items.append(item)
    }
    return []
  }

  /// A recipient that collects the lists it is sent.
  struct Client {
    let came: AsyncStream<[String]>.Continuation
    func send(_ items: [String]) async { came.yield(items) }
  }

  private let format = JournalFormat(of: List.self, intents: [.named("list", ListIntent.self)])

  @Test func whatIsAnsweredIsOnTheDiskAndWhoFollowsIsToldOfIt() async throws {
    let directory = TemporaryFile()
    let journal = try Journal(at: directory.path, format)
    let store = try Store(
      state: List(), reducer: Self.list, delivery: .queue(DispatchQueue(label: "list")),
      journal: journal)
    try await add("milk", to: store, journal)
    let recording = try Recording(at: directory.path, format)
    #expect(try recording.state(at: 1, reducer: Self.list).items == ["milk"])

    let (lists, came) = AsyncStream.makeStream(of: [String].self)
    let following = Task { await follow(store, Client(came: came)) }
    #expect(await lists.first { _ in true } == ["milk"])
    following.cancel()
    await following.value
    try await journal.close()
  }

  private func add(_ item: String, to store: Store<List>, _ journal: Journal<List>) async throws {
    store.dispatch(ListIntent.add(item))
    try await journal.synced()
  }

  private func follow(_ store: Store<List>, _ client: Client) async {
    for await items in store.values(of: \.items) {
      await client.send(items)
    }
  }
}
