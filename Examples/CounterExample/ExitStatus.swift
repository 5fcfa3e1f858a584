/// The numbers are those of `sysexits.h`.
enum ExitStatus: Int32 {
  case success = 0
  case usage = 64
  case badInput = 65
  case ioError = 74
}
