import Testing

@Suite("Mistakes in tests")
struct MistakeTests {
  @Test("are caught, and named", arguments: steps + reaches + stays + ends + wholes + vacuous)
  func areCaught(mistake: DeskCase) async {
    let messages = await failures { try? await mistake.body() }
    #expect(messages.contains { $0.contains(mistake.message) }, "\(messages)")
  }

  @Test("there are forty, of as many names")
  func count() {
    #expect(
      Set(
        (Self.steps + Self.reaches + Self.stays + Self.ends + Self.wholes + Self.vacuous).map(
          \.description)
      )
      .count >= 40)
  }
}
