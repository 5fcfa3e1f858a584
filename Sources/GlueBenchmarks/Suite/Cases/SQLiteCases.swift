import Foundation

private let python = "/usr/bin/env"

let isPythonThere = output(of: "import sqlite3; print(1)") != nil

func sqlite(_ synchronous: String) -> Work {
  let scratch = Scratch()
  var nanoseconds = 0.0
  var done = 0
  return Work(
    run: { count in
      let result = output(
        of: opening(scratch.path, synchronous) + """
          start = time.perf_counter_ns()
          for _ in range(\(count)): base.execute("insert into note (text) values (?)", (text,))
          print((time.perf_counter_ns() - start) / \(count))
          """)
      nanoseconds = result.flatMap(Double.init) ?? .infinity
      done += result == nil ? 0 : count
    },
    reading: { nanoseconds },
    isDone: { total in total == done })
}

/// The texts of that many rows, and how long reading one took in SQLite, in nanoseconds.
func sqliteRows(_ count: Int) -> (rows: [Data], nanoseconds: Double)? {
  let scratch = Scratch()
  let result = output(
    of: opening(scratch.path, "NORMAL") + """
      base.execute("begin")
      for _ in range(\(count)): base.execute("insert into note (text) values (?)", (text,))
      base.execute("commit")
      start = time.perf_counter_ns()
      rows = base.execute("select text from note order by id").fetchall()
      print((time.perf_counter_ns() - start) / \(count))
      for row in rows: print(row[0])
      """)
  guard let lines = result?.split(separator: "\n"), let time = lines.first.flatMap({ Double($0) })
  else { return nil }
  return (lines.dropFirst().map { Data($0.utf8) }, time)
}

private func opening(_ path: String, _ synchronous: String) -> String {
  """
  import sqlite3, time
  base = sqlite3.connect("\(path)/base", isolation_level=None)
  base.execute("pragma journal_mode=wal")
  base.execute("pragma synchronous=\(synchronous)")
  base.execute("create table if not exists note (id integer primary key, text text)")
  text = '{"add":{"id":4711,"title":"water the plants","isDone":false}}'

  """
}

/// The output of a Python program; nil if it fails.
private func output(of program: String) -> String? {
  let process = Process()
  let pipe = Pipe()
  process.executableURL = URL(filePath: python)
  process.arguments = ["python3", "-c", program]
  process.standardOutput = pipe
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return nil }
  let data = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  if process.terminationStatus != 0 { return nil }
  return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}
