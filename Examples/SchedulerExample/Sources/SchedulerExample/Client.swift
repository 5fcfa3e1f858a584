import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Asks the scheduler of this machine, and calls a body with each line of the answer.
///
/// - Throws: the reason, or what the scheduler answered.
func ask(
  _ port: UInt16, _ method: String, _ path: String, line body: (String) -> Void
) async throws {
  guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
    throw Refusal(description: "\(path) is no address")
  }
  var request = URLRequest(url: url)
  request.timeoutInterval = 1e9  // The initializer's is ignored on Linux.
  request.httpMethod = method
  let (lines, answer) = AsyncThrowingStream.makeStream(of: String.self)
  let session = URLSession(
    configuration: .ephemeral, delegate: Answer(answer), delegateQueue: nil)
  session.dataTask(with: request).resume()
  for try await line in lines { body(line) }
  session.finishTasksAndInvalidate()
}

private struct Refusal: Error, CustomStringConvertible { let description: String }

/// An answer as lines, as they come.
private final class Answer: NSObject, URLSessionDataDelegate {
  private let lines: AsyncThrowingStream<String, any Error>.Continuation
  private let rest = Mutex((bytes: Data(), status: 200))

  init(_ lines: AsyncThrowingStream<String, any Error>.Continuation) { self.lines = lines }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    rest.withLock { $0.status = (response as? HTTPURLResponse)?.statusCode ?? 200 }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    rest.withLock { rest in
      rest.bytes += data
      if rest.status >= 300 { return }
      while let end = rest.bytes.firstIndex(of: UInt8(ascii: "\n")) {
        lines.yield(String(decoding: rest.bytes[..<end], as: UTF8.self))
        rest.bytes = Data(rest.bytes[(end + 1)...])
      }
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let (bytes, status) = rest.withLock { $0 }
    let text = String(decoding: bytes, as: UTF8.self)
    if let error {
      lines.finish(throwing: Refusal(description: error.localizedDescription))
    } else if status >= 300 {
      lines.finish(throwing: Refusal(description: "\(status): \(text)"))
    } else {
      if !text.isEmpty { lines.yield(text) }
      lines.finish()
    }
  }
}
