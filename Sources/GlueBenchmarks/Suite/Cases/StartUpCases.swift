import Foundation

/// Starting CounterExample, linked statically and stripped, against a program that does nothing.
func startUpGroup() -> Group {
  let example = StaticExample()
  return Group(
    name: "startup",
    subjects: [
      Subject(name: "true", floor: nil, count: 5, isSerial: false) { starting { "true" } },
      Subject(name: "CounterExample", floor: "true", count: 5, isSerial: false) {
        starting { example.path }
      },
      Subject(name: "stripped size", floor: nil, count: 1, unit: .bytes, isSerial: false) {
        Work(
          run: { _ in }, reading: { Double(example.size) }, isDone: { _ in example.path != nil })
      },
    ])
}

/// Runs a program, without input, to its end again and again.
private func starting(_ path: () -> String?) -> Work {
  let path = path()
  var successes = 0
  return Work(
    run: { count in
      guard let path else { return }
      for _ in 0..<count where succeeds(path) { successes += 1 }
    },
    isDone: { total in successes == total })
}

private func succeeds(_ program: String) -> Bool {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
  var child = pid_t()
  let name = strdup(program)
  defer { free(name) }
  if posix_spawnp(&child, program, &actions, nil, [name, nil], environ) != 0 { return false }
  var status: Int32 = 0
  return waitpid(child, &status, 0) == child && status == 0
}

/// CounterExample, built in a directory of its own when it is first needed.
final class StaticExample {
  /// Whether it can be built: its sources exist, and the standard library can be linked statically.
  static var isBuildable: Bool {
    #if os(Linux)
      FileManager.default.fileExists(atPath: "Package.swift")
        && FileManager.default.fileExists(atPath: "Examples/CounterExample")
    #else
      false
    #endif
  }

  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "GlueBenchmarks-\(ProcessInfo.processInfo.processIdentifier)")

  /// The path of the program; nil if it could not be built.
  private(set) lazy var path = build()

  var size: Int {
    let attributes = path.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
    return attributes?[.size] as? Int ?? 0
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  private func build() -> String? {
    let build = Process()
    build.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    build.arguments = [
      "swift", "build", "-c", "release", "-Xswiftc", "-static-stdlib", "-Xlinker", "-s",
      "--product", "CounterExample", "--scratch-path", directory.path,
    ]
    build.standardOutput = FileHandle.standardError
    guard (try? build.run()) != nil else { return nil }
    build.waitUntilExit()
    let path = directory.appendingPathComponent("release/CounterExample").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }
}
