import GlueTesting
import Testing

@testable import ServerExample

@Test func nothing() { _ = Program() }
