/// A place in a test, at which its failures are reported.
package struct Place: Sendable {
  package let fileID: StaticString
  let filePath: StaticString
  package let line: UInt
  package let column: UInt

  package init(fileID: StaticString, filePath: StaticString, line: UInt, column: UInt) {
    (self.fileID, self.filePath, self.line, self.column) = (fileID, filePath, line, column)
  }

  /// The place of failures that are not reported.
  static let nowhere = Place(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
}
