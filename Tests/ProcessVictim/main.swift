import GlueProcesses

// Runs a command with its lock, and prints how the command ended: LOCK COMMAND [ARGUMENT ...]

let arguments = CommandLine.arguments
let child = ChildProcess(
  arguments[2], Array(arguments.dropFirst(3)), lock: arguments[1].isEmpty ? nil : arguments[1])
print(try await child.run())
