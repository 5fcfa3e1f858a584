/// A place in a test, at which its failures are reported.
package struct Place: Sendable {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  /// The place of failures that are not reported.
  static let nowhere = Place(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
}
