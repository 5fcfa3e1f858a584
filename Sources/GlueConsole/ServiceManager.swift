import Foundation

/// Sends a state of this program to the service manager that has started it, such as systemd.
///
///     console.onSignal(SIGHUP) {
///       notifyManager("RELOADING=1")
///       store.dispatch(NoteIntent.save)
///       notifyManager("READY=1")
///     }
///
/// ``Console/run(_:last:finishing:within:stopping:)`` sends `READY=1` and `STOPPING=1`. For `WatchdogSec=`,
/// send `WATCHDOG=1` more often than that. `RELOADING=1` is sent with the time, which
/// `Type=notify-reload` requires.
///
/// Nothing is sent if `NOTIFY_SOCKET` is not in the environment, or names no socket that takes the
/// message at once. Any thread may call this, which doesn't block.
///
/// - Parameter state: lines as in `sd_notify(3)`.
public func notifyManager(_ state: String) {
  guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let isWhole = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
    bytes.copyBytes(from: path.utf8.prefix(bytes.count))
    if path.hasPrefix("@") { bytes[0] = 0 }  // It is in Linux' abstract namespace, in no directory.
    return path.utf8.count <= bytes.count
  }
  guard isWhole else { return }
  let sender = socket(AF_UNIX, datagrams, 0)
  guard sender >= 0 else { return }
  defer { close(sender) }
  let message = state.contains("RELOADING=1") ? "\(state)\nMONOTONIC_USEC=\(microseconds())" : state
  let size = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + path.utf8.count
  withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      // A manager that hangs must not keep the program from ending.
      _ = sendto(
        sender, message, message.utf8.count, Int32(MSG_DONTWAIT), address, socklen_t(size))
    }
  }
}

/// The time of the machine's monotonic clock.
private func microseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1_000
}

// A child process that starts meanwhile must not keep the socket.
#if canImport(Glibc)
  private let datagrams = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
#elseif os(Linux)
  private let datagrams = SOCK_DGRAM | SOCK_CLOEXEC
#else
  private let datagrams = SOCK_DGRAM
#endif
