import Foundation

/// The command: measures the requested subjects, and reports.
package struct Benchmarks {
  private let allocations: AllocationCounting?

  /// - Parameter allocations: counts heap allocations, where the program can.
  package init(allocations: AllocationCounting?) {
    self.allocations = allocations
  }

  /// - Parameter arguments: the command line without the program's name.
  /// - Returns: the program's status: 0, 1 if something failed, 2 for wrong arguments.
  package func run(arguments: [String]) -> Int32 {
    do {
      return try follow(Invocation(arguments: arguments))
    } catch let error as BadArguments {
      printError("\(error.message)\nTry GlueBenchmarks --help")
      return 2
    } catch {
      printError(error.localizedDescription)
      return 1
    }
  }

  private func follow(_ invocation: Invocation) throws -> Int32 {
    if invocation.mode == .help {
      print(help)
      return 0
    }
    let selection = try Selection(of: allGroups, by: invocation)
    switch invocation.mode {
    case .help, .list:
      for path in selection.paths { print(path) }
      return 0
    case .repeating(let count): return repeatOperations(selection, count: count)
    case .measure: return try measure(selection, jsonFile: invocation.jsonFile)
    }
  }

  private func repeatOperations(_ selection: Selection, count: Int) -> Int32 {
    for (path, subject) in selection.subjects {
      let work = subject.prepare()
      let made = allocations?.count { work.run(count) }
      if made == nil { work.run(count) }
      if !work.isDone(count) {
        printError("\(path): its operations did not do their work")
        return 1
      }
      print("\(path)\t\(made.map { String(format: "%.2f", Double($0) / Double(count)) } ?? "-")")
    }
    return 0
  }

  private func measure(_ selection: Selection, jsonFile: String?) throws -> Int32 {
    // Checks that it can be written before the work.
    if let jsonFile { try Data().write(to: URL(fileURLWithPath: jsonFile)) }
    let report = report(on: selection)
    print(report.table, terminator: "")
    print(report.remarks)
    if let jsonFile { try report.json().write(to: URL(fileURLWithPath: jsonFile)) }
    return report.rows.allSatisfy(\.isDone) ? 0 : 1
  }

  private func report(on selection: Selection) -> Report {
    let sampler = Sampler(allocations: allocations)
    let progress = Progress()
    var report = Report(
      rounds: sampler.rounds, processors: ProcessInfo.processInfo.activeProcessorCount,
      countsAllocations: allocations != nil)
    for (index, part) in selection.parts.enumerated() {
      let step = "\(index + 1) of \(selection.parts.count): \(part.group.name)"
      let measurements = sampler.measure(part.subjects) { round in
        progress.show("\(step), round \(round) of \(sampler.rounds)")
      }
      report.append(measurements, of: part.group)
    }
    progress.end()
    return report
  }
}

func printError(_ message: String) {
  FileHandle.standardError.write(Data("GlueBenchmarks: \(message)\n".utf8))
}
