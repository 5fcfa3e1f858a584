#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#else
  internal import Darwin
#endif

/// A number that no two running threads share; 0 is nobody's.
@usableFromInline
package typealias ThreadID = UInt

/// The calling thread's number.
@usableFromInline
package func currentThread() -> ThreadID {
  #if canImport(Glibc)
    pthread_self()
  #else
    UInt(bitPattern: pthread_self())
  #endif
}
