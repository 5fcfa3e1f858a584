import Testing

@Suite("Mistakes in tests")
struct MistakeTests {
  @Test("are caught, and named", arguments: all)
  func areCaught(mistake: DeskCase) async {
    let messages = await failures { try? await mistake.body() }
    #expect(messages.contains { $0.contains(mistake.message) }, "\(messages)")
  }

  private static let all = steps + reaches + stays + ends + wholes + vacuous + heard + silent
}
