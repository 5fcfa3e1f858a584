import Foundation
import Glue

/// An asynchronous `main` runs the main queue in a loop of its own, which it may do until it is
/// suspended.
///
/// The descriptor is closed then. Standard input takes its number, so that a test sees whether
/// anything reads it.
@main
enum Program {
  static func main() async {
    #if os(Linux)
      DispatchQueue.main.async { print("The main queue runs.") }
      let descriptor = MainQueue.fileDescriptor
      MainQueue.run()
      // The main thread can't run this block, so another one does, after the suspension.
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async { continuation.resume() }
      }
      dup2(0, descriptor)
      print("Suspended.")
      fflush(nil)
      MainQueue.run()
    #endif
  }
}
