import GlueTesting
import Testing

@testable import CaseStudies

@Suite("The counter")
struct CounterTests {
  @Test("counts up and down, and begins again")
  func counting() {
    expect(counter, from: Counter(value: 1), when: .increment) { $0.value = 2 }
    expect(counter, from: Counter(value: 0), when: .decrement) { $0.value = -1 }
    expect(counter, from: Counter(value: 5), when: .reset) { $0.value = 0 }
  }
}
