// Memos: a small application as a whole, with a list, a detail, and a sheet that records.
//
// The detail is the id of a memo and no copy, so there is one place to change. All work lasts: the
// question for permission, the recording and the playback follow from the state, and end with the
// sheet or the memo. The parent follows both, and decides what they mean to one another.

import Glue
import GlueConsole

struct Memo: Equatable, Sendable, Identifiable {
  let id: Int
  let seconds: Int

  /// The second that is played; nil if the memo isn't played.
  var position: Int?
}

enum MemoIntent: Intent, Equatable { case play, second, remove }

func memo(state: inout Memo, intent: MemoIntent) -> [any Effect] {
  switch intent {
  case .play: state.position = state.position == nil ? 0 : nil
  case .second: state.position = state.position.flatMap { $0 + 1 < state.seconds ? $0 + 1 : nil }
  case .remove: break  // the list's
  }
  return []
}

struct Recording: Equatable, Sendable {
  var isAllowed: Bool?
  var seconds = 0
}

enum RecordingIntent: Intent, Equatable { case allowed(Bool), second, keep, discard }

func recording(state: inout Recording, intent: RecordingIntent) -> [any Effect] {
  switch intent {
  case .allowed(let isAllowed): state.isAllowed = isAllowed
  case .second: state.seconds += 1
  case .keep, .discard: break  // the list's
  }
  return []
}

struct Memos: Equatable, Sendable {
  enum Part { case recording }

  var memos: [Memo] = []
  var lastID = 0
  var detail: Memo.ID?
  var recording: Recording?
}

enum MemosIntent: Intent { case record, show(Memo.ID?) }

func memos(state: inout Memos, intent: MemosIntent) -> [any Effect] {
  switch intent {
  case .record: state.recording = state.recording ?? Recording()
  case .show(let id): state.detail = id
  }
  return []
}

func followingMemos(state: inout Memos, intent: ElementIntent<Memo.ID>) -> [any Effect] {
  switch intent.intent(as: MemoIntent.self) {
  case .play:
    for index in state.memos.indices where state.memos[index].id != intent.id {
      state.memos[index].position = nil
    }
  case .remove:
    state.memos.removeAll { $0.id == intent.id }
    if state.detail == intent.id { state.detail = nil }
  case .second, nil: break
  }
  return []
}

func followingRecording(state: inout Memos, intent: ElementIntent<Memos.Part>) -> [any Effect] {
  guard let recording = state.recording else { return [] }
  switch intent.intent(as: RecordingIntent.self) {
  case .keep:
    state.lastID += 1
    state.memos.append(Memo(id: state.lastID, seconds: recording.seconds))
    state.recording = nil
  case .discard: state.recording = nil
  case .allowed, .second, nil: break
  }
  return []
}

let memosFeature: Reducer<Memos> = combineReducers {
  forEach(\.memos, use: memo)
  withKey(\.recording, id: Memos.Part.recording, use: recording)
  memos
  followingMemos
  followingRecording
}

enum Audio: Effect, Equatable { case ask, record, play }

func audio(state: Memos) -> [LastingEffect] {
  lastingEach(state.memos) { $0.position == nil ? [] : [Audio.play.lasting(id: "audio")] }
    + lastingEach(state.recording, id: Memos.Part.recording) { recording in
      switch recording.isAllowed {
      case nil: [Audio.ask.lasting(id: "audio")]
      case true?: [Audio.record.lasting(id: "audio")]
      case false?: []
      }
    }
}

struct Microphone: AsyncEffectHandler {
  let clock: any Clock<Duration>
  var isAllowed = true

  func handle(effect: Audio, dispatch: @escaping DispatchFunc) async {
    while (try? await clock.sleep(for: .seconds(1))) != nil {
      switch effect {
      case .ask: return dispatch(RecordingIntent.allowed(isAllowed))
      case .record: dispatch(RecordingIntent.second)
      case .play: dispatch(MemoIntent.second)
      }
    }
  }
}

let memosStudy = Study(
  "memos", "an application: a list, a detail, and a sheet that records",
  keys: "r: record   k d: keep, discard   1-9: show   p: play   x: remove   b: back",
  store: {
    Store(
      state: Memos(), reducer: memosFeature, lasting: audio,
      handlers: { handlers in handlers.add(effectHandler: Microphone(clock: ContinuousClock())) })
  },
  draw: { state in
    let recording = state.recording.map { recording in
      ["Recording: \(recording.isAllowed.map { $0 ? "\(recording.seconds) s" : "denied" } ?? "…")"]
    }
    let memos = state.memos.filter { state.detail == nil || $0.id == state.detail }.map { memo in
      "Memo \(memo.id): \(memo.position.map { "\($0) of " } ?? "")\(memo.seconds) s"
    }
    return (state.detail == nil ? ["memos: \(memos.count)"] : []) + memos + (recording ?? [])
  },
  press: { key, state in
    let sheet = state.recording.map { _ in Memos.Part.recording }
    return switch key {
    case .text("r"): MemosIntent.record
    case .text("b"): MemosIntent.show(nil)
    case .text("k"): sheet.map { ElementIntent(id: $0, intent: RecordingIntent.keep) }
    case .text("d"): sheet.map { ElementIntent(id: $0, intent: RecordingIntent.discard) }
    case .text("p"): state.detail.map { ElementIntent(id: $0, intent: MemoIntent.play) }
    case .text("x"): state.detail.map { ElementIntent(id: $0, intent: MemoIntent.remove) }
    case .text(let digit): state.memos.first { "\($0.id)" == digit }.map { MemosIntent.show($0.id) }
    default: nil
    }
  })
