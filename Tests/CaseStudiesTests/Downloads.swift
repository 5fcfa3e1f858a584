import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The downloads")
struct DownloadsTests {
  private func makeTest() -> TestStore<Downloads> {
    let test = TestStore(state: Downloads(), reducer: downloadsFeature, lasting: fetchingTwo)
    test.add(effectHandler: Fetching(clock: test.clock))
    return test
  }

  private func fetch(_ id: Int, from start: Int = 0) -> LastingEffect {
    Fetch(start: start).lasting(id: "fetch").inside(id)
  }

  @Test("a paused one continues where it was")
  func pausing() async {
    let test = makeTest()
    await test.send(DownloadIntent.toggle, in: 1, began: [fetch(1)]) {
      $0.all[0].start = 0
      $0.queue = [1]
    }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(DownloadIntent.loaded(percent: 20), in: 1) { $0.all[0].percent = 20 }
    await test.send(DownloadIntent.toggle, in: 1, ceased: [fetch(1)]) {
      $0.all[0].start = nil
      $0.queue = []
    }
    await test.clock.advance(by: .seconds(1))
    await test.send(DownloadIntent.toggle, in: 1, began: [fetch(1, from: 20)]) {
      $0.all[0].start = 20
      $0.queue = [1]
    }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(DownloadIntent.loaded(percent: 40), in: 1) { $0.all[0].percent = 40 }
    await test.finish()
  }

  @Test("the third waits until one of two has loaded all, and takes no other's place")
  func queue() async {
    let test = makeTest()
    await test.send(DownloadIntent.toggle, in: 2, began: [fetch(2)]) {
      $0.all[1].start = 0
      $0.queue = [2]
    }
    await test.clock.advance(by: .milliseconds(2000))
    for percent in [20, 40, 60, 80] {
      await test.receive(DownloadIntent.loaded(percent: percent), in: 2) {
        $0.all[1].percent = percent
      }
    }
    await test.send(DownloadIntent.toggle, in: 3, began: [fetch(3)]) {
      $0.all[2].start = 0
      $0.queue = [2, 3]
    }
    await test.send(DownloadIntent.toggle, in: 1) {
      $0.all[0].start = 0
      $0.queue = [2, 3, 1]
    }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(
      DownloadIntent.loaded(percent: 100), in: 2, began: [fetch(1)], ceased: [fetch(2)]
    ) {
      $0.all[1].percent = 100
      $0.queue = [3, 1]
    }
    await test.receive(DownloadIntent.loaded(percent: 20), in: 3) { $0.all[2].percent = 20 }
    await test.finish()
  }

  @Test("one that is removed ends, and makes room for another")
  func removing() async {
    let test = makeTest()
    await test.withExhaustivity(.off) {
      for id in 1...3 { await test.send(DownloadIntent.toggle, in: id) }
    }
    await test.send(DownloadIntent.remove, in: 1, began: [fetch(3)], ceased: [fetch(1)]) {
      $0.all.removeFirst()
      $0.queue = [2, 3]
    }
    await test.clock.advance(by: .milliseconds(500))
    await test.receive(DownloadIntent.loaded(percent: 20), in: 2) { $0.all[0].percent = 20 }
    await test.receive(DownloadIntent.loaded(percent: 20), in: 3) { $0.all[1].percent = 20 }
    await test.finish()
  }
}
