import ArgumentParser
import Foundation

#if canImport(Glibc)
  private let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#else
  private let openFiles = RLIMIT_NOFILE
#endif

/// Lets this process have as many open files as its connections need.
func allowFiles(_ count: Int) throws {
  var limit = rlimit()
  getrlimit(openFiles, &limit)
  if limit.rlim_cur >= count { return }
  limit.rlim_cur = rlim_t(count)
  guard limit.rlim_max >= count, setrlimit(openFiles, &limit) == 0 else {
    throw ValidationError(
      "That many --connections need \(count) open files. Expected at most \(limit.rlim_max).")
  }
}
