import ArgumentParser
import Dispatch
import Foundation
import Glue
import GlueConsole
import GlueProcesses
import Hummingbird
import Logging
import ServiceLifecycle
import Synchronization

@main
struct Program: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "SchedulerExample", abstract: "Runs commands at their times.",
    subcommands: [Serve.self, List.self, Start.self, Watch.self])
}

/// Where the scheduler listens, on this machine alone.
struct Place: ParsableArguments {
  @Option(help: "The port; 0 chooses a free one.") var port: UInt16 = 8081
}

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the scheduler, which reads its definitions again at SIGHUP.")

  @Argument(help: "The file of definitions.") var definitions = "jobs.json"
  @Option(help: "The directory for the journal, outputs and locks.")
  var directory = ProcessInfo.processInfo.environment["STATE_DIRECTORY"] ?? "scheduler"
  @OptionGroup var place: Place

  func run() async throws {
    let console = Console()
    let logger = Logger(label: "scheduler")
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    let clock = ContinuousClock()
    let surroundings = Surroundings(
      clock: clock, dates: Dates(clock), systemDate: { .now },
      load: { [definitions] in try Definitions(file: definitions) },
      run: { [directory] _, job in try await runCommand(of: job, in: directory) },
      report: { logger.error("\($0)") })
    let queue = DispatchQueue(label: "schedule")
    let scheduler = try Scheduler(
      in: directory, surroundings, delivery: .queue(queue),
      monitors: [CommitLog(logger: logger)])

    let (listening, listens) = AsyncStream.makeStream(of: Int.self)
    let server = server(of: scheduler, port: Int(place.port), logger) { listens.yield($0) }
    // The console takes the signals, so this group has none.
    let group = ServiceGroup(services: [server], logger: logger)
    let failure = Mutex<(any Error)?>(nil)
    let serving = Task {
      defer {
        listens.finish()
        console.end()
      }
      do { try await group.run() } catch {
        failure.withLock { $0 = error }
        throw error
      }
    }
    guard let port = await listening.first(where: { _ in true }) else {
      return try await serving.value
    }
    logger.notice("ready", metadata: ["port": "\(port)"])
    console.onSignal(SIGHUP) {
      notifyManager("RELOADING=1")
      scheduler.store.dispatch(ScheduleIntent.reload)
      queue.sync {}  // By now, the file has been read.
      notifyManager("READY=1")
    }
    let end = await console.run(
      scheduler.store, finishing: .seconds(5), within: .seconds(15),
      stopping: {
        await group.triggerGracefulShutdown()
        _ = await serving.result
      })
    for what in end.left { logger.warning("not ended", metadata: ["what": "\(what)"]) }
    if let error = failure.withLock({ $0 }) { throw error }
  }
}

/// Runs the command of a job, whose output and lock are in a directory, once nothing of it runs that
/// an earlier process has left.
private func runCommand(of job: Definition, in directory: String) async throws
  -> ChildProcess.Ending
{
  let lock = "\(directory)/\(job.name).lock"
  try await ChildProcess.terminate(lock: lock)
  let command = ChildProcess(
    job.command[0], Array(job.command.dropFirst()), output: "\(directory)/\(job.name).log",
    lock: lock)
  return try await command.run(timeout: job.timeout.map { .seconds($0) })
}

/// Logs each commit.
private struct CommitLog: Monitor {
  let logger: Logger

  func observe(_ commit: Commit<Schedule>) {
    logger.info("\(commit.intent)", metadata: ["commit": "\(commit.number)"])
  }
}

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists the jobs.")
  @OptionGroup var place: Place

  func run() async throws { try await ask(place.port, "GET", "/jobs") { show($0) } }
}

struct Start: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Runs a job now.")
  @Argument(help: "The job's name.") var name: String
  @OptionGroup var place: Place

  func run() async throws { try await ask(place.port, "POST", "/jobs/\(name)") { _ in } }
}

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists the jobs at each change.")
  @OptionGroup var place: Place

  func run() async throws { try await ask(place.port, "GET", "/events") { show($0) } }
}

/// Prints the jobs of a line of JSON.
private func show(_ json: String) {
  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .iso8601
  guard let jobs = try? decoder.decode([JobStatus].self, from: Data(json.utf8)) else { return }
  for job in jobs { print(job.line) }
  print()
  fflush(nil)  // A pipe's reader gets it now, too.
}
