public import Glue

extension TestStore {
  /// Lets the feature dispatch intents of a type to its parent, which the test doesn't have.
  ///
  /// Otherwise they fail the test, because no reducer knows them. Each must still be received, and
  /// changes nothing:
  ///
  ///     test.delegate(SessionIntent.self)
  ///
  ///     await test.receive(SessionIntent.expired)
  ///
  /// - Parameter type: the type of the intents.
  public func delegate<I: Intent>(_ type: I.Type) {
    problems.delegate(type)
  }
}
