import Testing

@testable import BenchmarkSuite

@Suite struct SelectionTests {
  @Test("a subject is measured together with its baseline")
  func whatASubjectIs() throws {
    let selection = try selection("subscribers/1 idle")
    #expect(selection.paths == ["subscribers/1 idle"])
    #expect(selection.parts.map(\.group.name) == ["subscribers"])
    #expect(selection.parts.first?.subjects.map(\.name) == ["floor", "none", "1 idle"])
  }

  @Test("groups without a selected subject are left out")
  func groupsWithoutASelected() throws {
    #expect(try selection("reading").parts.map(\.group.name) == ["reading"])
  }

  @Test("growth is measured only if a filter names it, and can always be listed and repeated")
  func growthIsMeasuredOnly() throws {
    func selectsGrowth(_ arguments: [String]) throws -> Bool {
      try Selection(of: allGroups, by: Invocation(arguments: arguments))
        .parts.contains { $0.group.name == "growth" }
    }
    #expect(try !selectsGrowth([]))
    #expect(try selectsGrowth(["--filter", "growth/"]))
    #expect(try selectsGrowth(["--list"]))
    #expect(try selectsGrowth(["--repeat", "1"]))
  }

  @Test("names are unique")
  func namesAreUnique() throws {
    let paths = try Selection(of: allGroups, by: Invocation(arguments: ["--list"])).paths
    #expect(Set(paths).count == paths.count)
  }

  @Test("every floor is a subject of its group")
  func everyFloorIsA() {
    for group in allGroups {
      for floor in group.subjects.compactMap(\.floor) {
        #expect(group.subjects.contains { $0.name == floor }, "\(group.name): \(floor)")
      }
    }
  }

  private func selection(_ filter: String) throws -> Selection {
    try Selection(of: allGroups, by: Invocation(arguments: ["--filter", filter]))
  }
}
