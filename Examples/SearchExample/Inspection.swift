import Foundation
import GlueInspector

/// A record of a search, for a page.
struct Inspection {
  let inspector = Inspector<SearchState> { value, _ in
    switch value {
    case let path as Path: quoted(path.bytes)
    case let effect as SearchEffect: "SearchEffect(\(quoted(Array(effect.text.utf8))))"
    case let text as [UInt8] where type(of: value) == [UInt8].self: quoted(text)  // Not any [].
    default: nil
    }
  }

  private let page: Path

  init(page: Path) {
    self.page = page
  }

  /// Writes the page, if its path is text.
  func write() throws(SystemError) {
    do {
      guard let path = String(validating: page.bytes, as: UTF8.self) else {
        throw SystemError("write the page", code: EILSEQ)
      }
      try inspector.writePage(to: path)
    } catch let error as SystemError {
      throw error
    } catch {
      throw SystemError("write \(safeText(page.bytes))", code: code(of: error))
    }
  }

  /// The number that the system gave an error.
  private func code(of error: any Error) -> Int32 {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
    return underlying?.code.rawValue ?? EIO
  }
}

private func quoted(_ bytes: [UInt8]) -> String {
  "\"\(String(decoding: bytes, as: UTF8.self))\""
}
