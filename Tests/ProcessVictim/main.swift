import GlueProcesses

// Runs a command with a lock, and prints how the command ended: LOCK COMMAND [ARGUMENT ...]
// Without a command, ends the one that holds the lock, and prints whether there was one, or the error.

let lock = CommandLine.arguments[1]
let command = CommandLine.arguments.dropFirst(2)
if let path = command.first {
  let arguments = Array(command.dropFirst())
  print(try await ChildProcess(path, arguments, lock: lock.isEmpty ? nil : lock).run())
} else {
  do {
    print(try await ChildProcess.terminate(lock: lock, grace: .zero))
  } catch {
    print(error)
  }
}
