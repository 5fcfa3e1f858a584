package import Foundation
import FoundationNetworking
package import Glue

/// Fetches files into a folder, and continues the parts that an earlier run has left there.
package struct Fetching: AsyncEffectHandler {
  package enum Part: Sendable { case size(Int?), bytes(Data) }
  package typealias Parts = AsyncThrowingStream<Part, any Error>
  package typealias Get = @Sendable (_ url: URL, _ from: Int) -> Parts

  let folder: URL, get: Get

  package init(into folder: URL, get: @escaping Get = overHTTP(url:from:)) {
    (self.folder, self.get) = (folder, get)
  }

  package func handle(effect: Fetch, dispatch: @escaping DispatchFunc) async {
    func send(_ intent: DownloadIntent) { dispatch(intent) }
    do {
      try await fetch(effect, send)
      send(.finish)
    } catch {
      if !Task.isCancelled { send(.fail(reason(of: error))) }
    }
  }

  private func fetch(_ effect: Fetch, _ send: (DownloadIntent) -> Void) async throws {
    let path = folder.appending(path: "\(effect.id).part")
    if !FileManager.default.fileExists(atPath: path.path) { try Data().write(to: path) }
    let file = try FileHandle(forWritingTo: path)
    defer { try? file.close() }
    let start = Int(try file.seekToEnd())
    var (received, total, last) = (start, Int?.none, ContinuousClock.now)
    for try await part in get(effect.url, start) {
      switch part {
      case .size(let rest): total = rest.map { start + $0 }
      case .bytes(let data):
        try file.write(contentsOf: data)
        received += data.count
      }
      if last.duration(to: .now) < .milliseconds(100) { continue }
      last = .now
      send(.progress(received: received, total: total))
    }
    try Task.checkCancellation()
    send(.progress(received: received, total: total))
    try FileManager.default.moveItem(at: path, to: free(effect.url.lastPathComponent))
  }

  /// A place in the folder that no file has yet.
  private func free(_ name: String) -> URL {
    let places = (0...).lazy.map { folder.appending(path: $0 == 0 ? name : "\($0) \(name)") }
    return places.first { !FileManager.default.fileExists(atPath: $0.path) }!
  }
}

extension Sweep {
  /// Cleans the folder, and lasts until the list is another one.
  package func run(in folder: URL) async {
    clean(folder)
    for await _ in AsyncStream<Never>.makeStream().stream {}
  }

  func clean(_ folder: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let kept = Set(kept.map { "\($0).part" })
    for name in names where name.hasSuffix(".part") && !kept.contains(name) && !Task.isCancelled {
      try? FileManager.default.removeItem(at: folder.appending(path: name))
    }
  }
}

@Sendable package func overHTTP(url: URL, from start: Int) -> Fetching.Parts {
  Fetching.Parts { parts in
    var request = URLRequest(url: url)
    if start > 0 { request.setValue("bytes=\(start)-", forHTTPHeaderField: "Range") }
    let session = URLSession(
      configuration: .ephemeral, delegate: Receiver(parts, start), delegateQueue: nil)
    let task = session.dataTask(with: request)
    parts.onTermination = { _ in
      task.cancel()
      session.finishTasksAndInvalidate()
    }
    task.resume()
  }
}

private final class Receiver: NSObject, URLSessionDataDelegate {
  private let (parts, start): (Fetching.Parts.Continuation, Int)

  init(_ parts: Fetching.Parts.Continuation, _ start: Int) {
    (self.parts, self.start) = (parts, start)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    if status == 206 || status == 200 && start == 0 {
      let size = response.expectedContentLength
      parts.yield(.size(size < 0 ? nil : Int(size)))
      return completionHandler(.allow)
    }
    // 416: the earlier run had all of it.
    parts.finish(throwing: status == 416 && start > 0 ? nil : Refused(status: status))
    completionHandler(.cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    parts.yield(.bytes(data))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    parts.finish(throwing: error)
  }
}

struct Refused: Error { let status: Int }

private func reason(of error: any Error) -> String {
  switch error {
  case let error as Refused where error.status == 404: "Not found"
  case let error as Refused: "The server answered \(error.status)"
  case is URLError: "The server can’t be reached"
  default: "\(error.localizedDescription)"
  }
}
