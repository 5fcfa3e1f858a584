import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The memos")
struct MemosTests {
  private let sheet = Memos.Part.recording

  private func makeTest(
    _ state: Memos = Memos(), isAllowed: Bool = true
  ) -> TestStore<Memos> {
    let test = TestStore(state: state, reducer: memosFeature, lasting: audio)
    test.add(effectHandler: Microphone(clock: test.clock, isAllowed: isAllowed))
    return test
  }

  private func inSheet(_ audio: Audio) -> LastingEffect {
    audio.lasting(id: "audio").inside(sheet)
  }

  private func playing(_ id: Memo.ID) -> LastingEffect {
    Audio.play.lasting(id: "audio").inside(id)
  }

  @Test("a recording begins when it is allowed, and is kept as a memo")
  func recording() async {
    let test = makeTest()
    await test.send(MemosIntent.record, began: [inSheet(.ask)]) { $0.recording = Recording() }
    await test.clock.advance(by: .seconds(1))
    await test.receive(
      RecordingIntent.allowed(true), in: sheet, began: [inSheet(.record)],
      ceased: [inSheet(.ask)]
    ) { $0.recording?.isAllowed = true }
    await test.clock.advance(by: .seconds(1))
    await test.receive(RecordingIntent.second, in: sheet) { $0.recording?.seconds = 1 }
    await test.send(RecordingIntent.keep, in: sheet, ceased: [inSheet(.record)]) {
      $0.memos = [Memo(id: 1, seconds: 1)]
      $0.lastID = 1
      $0.recording = nil
    }
    await test.finish()
  }

  @Test("a recording that isn't allowed stays empty, and can be discarded")
  func denied() async {
    let test = makeTest(isAllowed: false)
    await test.send(MemosIntent.record, began: [inSheet(.ask)]) { $0.recording = Recording() }
    await test.clock.advance(by: .seconds(1))
    await test.receive(RecordingIntent.allowed(false), in: sheet, ceased: [inSheet(.ask)]) {
      $0.recording?.isAllowed = false
    }
    await test.clock.advance(by: .seconds(1))
    await test.send(RecordingIntent.discard, in: sheet) { $0.recording = nil }
    await test.finish()
  }

  @Test("one memo is played at a time, to its end")
  func onePlays() async {
    let test = makeTest(Memos(memos: [Memo(id: 1, seconds: 9), Memo(id: 2, seconds: 2)]))
    await test.send(MemoIntent.play, in: 1, began: [playing(1)]) { $0.memos[0].position = 0 }
    await test.send(MemoIntent.play, in: 2, began: [playing(2)], ceased: [playing(1)]) {
      $0.memos[0].position = nil
      $0.memos[1].position = 0
    }
    await test.clock.advance(by: .seconds(2))
    await test.receive(MemoIntent.second, in: 2) { $0.memos[1].position = 1 }
    await test.receive(MemoIntent.second, in: 2, ceased: [playing(2)]) {
      $0.memos[1].position = nil
    }
    await test.finish()
  }

  @Test("a memo that is removed while it is played falls silent, and its detail closes")
  func removing() async {
    let test = makeTest(Memos(memos: [Memo(id: 1, seconds: 9)]))
    await test.send(MemosIntent.show(1)) { $0.detail = 1 }
    await test.send(MemoIntent.play, in: 1, began: [playing(1)]) { $0.memos[0].position = 0 }
    await test.send(MemoIntent.remove, in: 1, ceased: [playing(1)]) {
      $0.memos = []
      $0.detail = nil
    }
    await test.clock.advance(by: .seconds(9))
    await test.finish()
  }
}
