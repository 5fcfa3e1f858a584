import Glue
import GlueTesting
import Testing

/// The works of one store, as a picture.
struct Timeline {
  let clock = TestClock()
  let store: Store<[String]>
  private let transcript = Transcript<TimedLine>()

  init() {
    store = Store(clock: clock)
    store.record(in: transcript, on: clock)
  }

  func work(_ name: String, columns: Int) -> Work {
    Work(name: name, duration: .milliseconds(100) * columns)
  }

  func emit(
    _ name: String, _ policy: EffectPolicy, columns: Int, id: some Hashable & Sendable = "id"
  ) async {
    store.emit(work(name, columns: columns).scheduled(policy, id: id))
    await clock.rest()
  }

  func advance(_ columns: Int) async {
    await clock.advance(by: .milliseconds(100) * columns)
  }

  /// Lets everything end and compares the picture.
  func expect(_ expected: String, sourceLocation: SourceLocation = #_sourceLocation) async {
    await clock.run()
    await store.settled()
    #expect(picture == expected, sourceLocation: sourceLocation)
  }

  /// A line for each work that has started, in the order of their names.
  private var picture: String {
    Dictionary(grouping: transcript.lines, by: \.name).sorted { $0.key < $1.key }
      .map { name, lines in
        let columns = lines.map { Int($0.time) }
        var row = Array(repeating: " ", count: columns[0])
        row += Array(repeating: "-", count: columns[columns.count - 1] - columns[0] + 1)
        for line in lines { row[Int(line.time)] = String(line.what) }
        return "\(name) " + row.joined(separator: " ")
      }
      .joined(separator: "\n")
  }
}
