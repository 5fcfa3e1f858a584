import Foundation
import Glue
import GlueInspector
import GlueJournal

struct Letters: Codable, Sendable {
  var written: [String] = []
  var sent: [String: Int] = [:]
}

enum LetterIntent: Intent, Codable { case write(String), sent(String) }

struct Post: Effect, Codable { let letter: String }

func letters(state: inout Letters, intent: LetterIntent) -> [any Effect] {
  switch intent {
  case .write(let letter):
    state.written.append(letter)
    return [Post(letter: letter)]
  case .sent(let letter):
    state.sent[letter, default: 0] += 1
    return []
  }
}

/// A journal's recording, replayed.
func writeRecording(to folder: String) async throws {
  let format = JournalFormat(
    of: Letters.self, intents: [.named("letter", LetterIntent.self)],
    effects: [.atLeastOnce("post", Post.self)])
  let path = "\(folder)/journal"
  let journal = try Journal(at: path, format)
  let store = try Store(state: Letters(), reducer: letters, journal: journal)
  store.on(Post.self) { post, dispatch in dispatch(LetterIntent.sent(post.letter)) }
  for letter in ["to Ann", "to Bob", "to Cy"] { store.dispatch(LetterIntent.write(letter)) }
  await store.shutdown()
  try await journal.close()
  let inspector = Inspector<Letters>()
  for step in try Recording(at: path, format).steps(reducer: letters) {
    inspector.observe(step.commit, at: step.seconds, place: step.place)
  }
  try inspector.writePage(to: "\(folder)/recording.html")
  try FileManager.default.removeItem(atPath: path)
}
