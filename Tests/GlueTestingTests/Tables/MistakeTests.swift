import Testing

@Suite("Mistakes in tests")
struct MistakeTests {
  @Test("are caught, and named", arguments: all)
  func areCaught(mistake: DeskCase) async {
    let messages = await failures { try? await mistake.body() }
    #expect(messages.contains { $0.contains(mistake.message) }, "\(messages)")
  }

  @Test("there are forty, of as many names")
  func count() {
    #expect(Set(Self.all.map(\.description)).count >= 40)
  }

  private static let all = steps + reaches + stays + ends + wholes + vacuous + heard + silent
}
