import Foundation
import Testing

@Suite("A module's folders are layered: each names only its own types and those below")
struct FloorTests {
  @Test(
    "no file names a type of a folder above its own",
    arguments: [
      (
        "Glue",
        [
          "Support", "Model", "Checks", "Effects", "Delivery", "Store", "Calls", "Composition",
          "Observing",
        ]
      ), ("GlueTesting", ["Failures", "Clocks", "Handlers", "Store", "Reducers"]),
      ("GlueJournal", ["Files", "Format", "Reading", "Recording", "Writing"]),
    ])
  func floors(module: String, rooms: [String]) throws {
    let floors = try rooms.map { room in
      try files(in: "Sources/\(module)/\(room)", ending: ".swift").map { ($0, try code($0)) }
    }
    for (floor, sources) in floors.enumerated() {
      let above = Set(floors[(floor + 1)...].joined().flatMap { declared(in: $0.1) })
        .subtracting(floors[...floor].joined().flatMap { declared(in: $0.1) })
      for (path, code) in sources { #expect(above.intersection(words(of: code)) == [], "\(path)") }
    }
    let all = files(in: "Sources/\(module)", ending: ".swift")
    #expect(floors.joined().count == all.count, "a folder has no layer")
  }

  /// A file without its comments and strings.
  private func code(_ path: String) throws -> String {
    try text(path).replacing(/"""(?s:.*?)"""|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"/, with: "")
  }

  /// The types declared at the top level of a file that other files can use.
  private func declared(in text: String) -> [Substring] {
    let attributes = #"(?:@\w+(?:\([^)]*\))?\s+)*(?:public |package |final |indirect )*"#
    let kinds = "(?:struct|class|enum|protocol|actor|typealias)"
    guard
      let pattern = try? Regex("(?m)^\(attributes)\(kinds) (\\w+)", as: (Substring, Substring).self)
    else { return [] }
    return text.matches(of: pattern).map(\.1)
  }

  /// The names that a file uses, except members and type parameters.
  private func words(of text: String) -> Set<Substring> {
    let parameters = text.matches(of: /[<,] *(\w+) *[:,>]/).map(\.1)
    return Set(text.matches(of: /(?:^|[^.\w])(\w+)/).map(\.1)).subtracting(parameters)
  }
}

@Suite("A mistake stops a program with a message, also where it is optimized")
struct StoppingTests {
  /// Optimized code doesn't print the message of a precondition, but that of `fatalError`.
  @Test("no source states a precondition")
  func preconditions() throws {
    for path in files(in: "Sources", ending: ".swift") {
      #expect(try !text(path).contains(/(^|\W)precondition\(/), "\(path)")
    }
  }
}
