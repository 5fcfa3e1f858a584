import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The recursion")
struct RecursionTests {
  private func makeTest(_ state: Folder) -> TestStore<Folder> {
    let test = TestStore(state: state, reducer: folderFeature)
    test.add(effectHandler: FolderListing(clock: test.clock))
    return test
  }

  private func listing(_ name: String) -> ScheduledEffect {
    ListFolder(name: name).scheduled(.latest, id: "list")
  }

  @Test("the content of a folder finds it, at the top and two levels deep")
  func depths() async {
    let home = Folder(id: "home", folders: [Folder(id: "ann")])
    let test = makeTest(Folder(id: "/", folders: [home]))
    await test.send(FolderIntent.toggle, effects: [listing("/")]) {
      $0.isOpen = true
      $0.isLoading = true
    }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(FolderIntent.loaded(["etc", "home", "usr"])) {
      $0.isLoading = false
      $0.folders = ["etc", "home", "usr"].map { Folder(id: $0) }
    }
    await test.finish()

    let deep = makeTest(Folder(id: "/", folders: [home]))
    await deep.send(
      FolderIntent.toggle, in: "home", "ann", effects: [listing("ann").inside("home", "ann")]
    ) {
      $0.folders[0].folders[0].isOpen = true
      $0.folders[0].folders[0].isLoading = true
    }
    await deep.clock.advance(by: .milliseconds(500))
    await deep.receive(FolderIntent.loaded(["photos"]), in: "home", "ann") {
      $0.folders[0].folders[0].isLoading = false
      $0.folders[0].folders[0].folders = [Folder(id: "photos")]
    }
    await deep.finish()
  }

  @Test("closing a folder cancels its own loading, and no other one's")
  func closing() async {
    let test = makeTest(Folder(id: "/", folders: [Folder(id: "usr"), Folder(id: "home")]))
    for (index, name) in ["usr", "home"].enumerated() {
      await test.send(FolderIntent.toggle, in: name, effects: [listing(name).inside(name)]) {
        $0.folders[index].isOpen = true
        $0.folders[index].isLoading = true
      }
    }
    let cancel = CancelEffects(id: "list").inside("usr")
    await test.send(FolderIntent.toggle, in: "usr", effects: [cancel]) {
      $0.folders[0].isOpen = false
      $0.folders[0].isLoading = false
    }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(case: FolderIntent.loaded, in: "home") { state, names in
      state.folders[1].isLoading = false
      state.folders[1].folders = names.map { Folder(id: $0) }
    }
    await test.finish()
  }
}
