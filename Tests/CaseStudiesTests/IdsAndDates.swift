import Foundation
import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("Ids and dates")
struct IdsAndDatesTests {
  private let id = UUID()
  private let date = Date(timeIntervalSince1970: 1)
  private var note: Note { Note(id: id.uuidString, date: date) }

  @Test("a test makes those in an intent")
  func intent() {
    expect(notes, from: Notes(), when: .add(id: id, date: date)) { $0.notes = [note] }
  }

  @Test("a test replaces the handler that makes them")
  func effect() async {
    let test = TestStore(state: Notes(), reducer: notes)
    test.add(effectHandler: Stamping(makeID: { [id] in id }, now: { [date] in date }))
    await test.send(NotesIntent.addStamped, effects: [Stamp()])
    await test.receive(NotesIntent.stamped(id: id, date: date)) { $0.notes = [note] }
    await test.finish()
  }

  @Test("those from the state need nothing, and no handler may be called for them")
  func state() async {
    let test = TestStore(state: Notes(start: date), reducer: notes)
    test.forbid(Stamp.self)
    await test.send(NotesIntent.addNumbered) {
      $0.lastNumber = 1
      $0.notes = [Note(id: "1", date: date)]
    }
    await test.finish()
  }

  @Test("a reducer that needs no value asks for none")
  func unneeded() {
    let full = Notes(notes: Array(repeating: note, count: 9))
    expect(notes, from: full, when: .addStamped)
  }
}
