/// A subscriber's selection: the whole state, of which it records the number of commits, or a part.
enum Watch: Equatable { case all, left, right }

/// A call that the store makes, with the value or the effect's number.
enum Call: Equatable {
  case tell(subscriber: Int, Int)
  case handle(handler: Int, Int)
}

/// Something that happened on a thread.
///
/// Where a call of the store is about to be made the line is written before it, and no step
/// separates them. So the order of the lines is the order in which the calls took effect.
enum Event: Equatable {
  case dispatches(Move)
  case dispatchesInVain(Int)
  case subscribes(Int, Watch)
  case cancels(Int)
  case adds(Int, Pitch?)
  case returns(Int)
  case reads([Int])
  case begins(Call)
  case ends(Call)
  case forgetsStore

  /// The store has posted a body to its `Delivery`; a thread runs it, more than once perhaps, or
  /// drops it.
  case posted(Int)
  case runsBody(Int, run: Int, isInline: Bool)
  case ranBody(Int, run: Int)
  case dropsBody(Int)
}

struct Line: Equatable, CustomStringConvertible {
  let thread: Int
  let event: Event

  var description: String { "\(thread): \(event)".replacing("GlueTests.", with: "") }
}

/// The lines of one run.
final class InterleavedTranscript: Sendable {
  private let transcript = Transcript<Line>()
  private let interleaver: Interleaver

  init(of interleaver: Interleaver) { self.interleaver = interleaver }

  var lines: [Line] { transcript.lines }

  func write(_ event: Event) {
    transcript.write(Line(thread: interleaver.holder, event: event))
  }
}
