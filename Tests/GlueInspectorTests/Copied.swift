import GlueTesting
import Testing

@testable import InspectorPages

// The page of the sample copies the following as a test; `.ci/browser` compares them.

@Test func upToCommit9() async {
  let test = TestStore(state: Shop(), reducer: reducer, exhaustivity: .off)
  await test.send(ShopIntent.add(Item(id: 1, name: "kettle \"blue\" \\(1)", isOld: false)))
  await test.send(ShopIntent.show(.tagged("work\n")))
  await test.send(ShopIntent.show(.priced(from: -0.5, to: 1e+21)))
  await test.send(ShopIntent.note(["": "*/", "é": "\u{202E}//"]))
  // Write #5 here: ShopIntent.clear; fatalError()\nfatalError()
  await test.send(ShopIntent.show(.all))
  // #7 came from ShopEffect.signIn of #6.
  await test.send(ShopIntent.signedIn(Session(user: "ada")))
  await test.send(ShopIntent.clear)
  await test.send(ShopIntent.add(Item(id: -2, name: "", isOld: true)))
  test.assert {
    $0.items = [Item(id: -2, name: "", isOld: true)]
    $0.count = 8
  }
}
