import Glue
import GlueJournal

struct Job: Codable, Equatable, Sendable { let id: Int, url: String }
struct Downloads: Codable, Sendable { var jobs: [Job] = [], lastID = 0 }
enum DownloadIntent: Intent, Codable { case add(url: String), done(id: Int) }
struct Download: Effect, Equatable { var job: Job }

func downloads(state: inout Downloads, intent: DownloadIntent) -> [Effect] {
  switch intent {
  case .add(let url):
    state.lastID += 1
    state.jobs.append(Job(id: state.lastID, url: url))
  case .done(let id):
    state.jobs.removeAll { $0.id == id }
  }
  return []
}

// The downloads that should run now: the first three.
func running(state: Downloads) -> [LastingEffect] {
  state.jobs.prefix(3).map { Download(job: $0).lasting(id: $0.id) }
}

// Pretends to download, which takes five seconds.
func fetch(_ url: String) async {
  print("fetching \(url)")
  try? await Task.sleep(for: .seconds(5))
}

let format = JournalFormat(of: Downloads.self, intents: [.named("download", DownloadIntent.self)])

let store = try Store(
  state: Downloads(), reducer: downloads, lasting: running,
  journal: Journal(at: "downloads.journal", format),
  handlers: { handlers in
    handlers.on(Download.self) { effect, dispatch async in
      await fetch(effect.job.url)
      dispatch(DownloadIntent.done(id: effect.job.id))
    }
  })

for url in CommandLine.arguments.dropFirst() { store.dispatch(DownloadIntent.add(url: url)) }
for await jobs in store.values(of: \.jobs) where jobs.isEmpty { break }
await store.shutdown()
