import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The favorites")
struct FavoritesTests {
  @Test("a book alone shows a change at once, and takes it back if it is refused")
  func refused() async {
    let test = TestStore(state: Book(id: 1, title: "Ulysses"), reducer: book)
    test.add(effectHandler: FavoriteServer(clock: test.clock))
    let save = SaveFavorite(title: "Ulysses", isFavorite: true)
    await test.send(BookIntent.toggle, effects: [save]) {
      $0.isFavorite = true
      $0.isSaving = true
    }
    await test.clock.advance(by: .seconds(1))
    await test.receive(BookIntent.refused("Ulysses is too long")) {
      $0.isFavorite = false
      $0.isSaving = false
      $0.failure = "Ulysses is too long"
    }
    await test.finish()
  }

  @Test("a book asks again where the user has changed their mind meanwhile")
  func again() async {
    let test = TestStore(state: Book(id: 1, title: "Emma"), reducer: book)
    test.add(effectHandler: FavoriteServer(clock: test.clock))
    await test.send(
      BookIntent.toggle, effects: [SaveFavorite(title: "Emma", isFavorite: true)]
    ) {
      $0.isFavorite = true
      $0.isSaving = true
    }
    await test.send(BookIntent.toggle) { $0.isFavorite = false }
    await test.clock.advance(by: .seconds(1))
    await test.receive(
      BookIntent.saved(true), effects: [SaveFavorite(title: "Emma", isFavorite: false)]
    ) { $0.isConfirmed = true }
    await test.clock.advance(by: .seconds(1))
    await test.receive(BookIntent.saved(false)) {
      $0.isConfirmed = false
      $0.isSaving = false
    }
    await test.finish()
  }

  @Test("in rows, each reply finds its book")
  func rows() async {
    let test = TestStore(state: Favorites(), reducer: favoritesFeature)
    test.add(effectHandler: FavoriteServer(clock: test.clock))
    for id in 1...2 {
      let title = test.state.books[id - 1].title
      await test.send(
        BookIntent.toggle, in: id,
        effects: [SaveFavorite(title: title, isFavorite: true).inside(id)]
      ) {
        $0.books[id - 1].isFavorite = true
        $0.books[id - 1].isSaving = true
      }
    }
    await test.clock.advance(by: .seconds(1))
    for id in 1...2 {
      await test.receive(BookIntent.saved(true), in: id) {
        $0.books[id - 1].isConfirmed = true
        $0.books[id - 1].isSaving = false
      }
    }
    await test.finish()
  }
}
