import Foundation

extension Report {
  /// The report for people.
  var table: String {
    var table = Table(
      header: ["what", "median", "quartiles", "floor", "× floor", "allocations", "budget"])
    for row in rows { table.append(row.cells) }
    return table.text
  }

  /// Further remarks.
  var remarks: String {
    let verdicts = rows.compactMap(\.verdict)
    let met = verdicts.filter(\.isMet).count
    var remarks = [
      "\(rounds) rounds on \(processors) processors; \(met) of \(verdicts.count) budgets met."
    ]
    if !countsAllocations { remarks.append("Allocations cannot be counted here.") }
    if !StaticExample.isBuildable {
      remarks.append("Start-up is measured only on Linux, in the package's directory.")
    }
    #if DEBUG
      remarks.append("Built without optimization: these times mean nothing.")
    #endif
    return remarks.joined(separator: "\n")
  }
}

extension Row {
  fileprivate var cells: [String] {
    let scale = Scale(for: spread.median, unit)
    let lower = short(spread.lowerQuartile / scale.factor)
    let upper = short(spread.upperQuartile / scale.factor)
    return [
      path, scale.text(spread.median), "\(lower)–\(upper)",
      floor.map { Scale(for: $0, unit).text($0) } ?? "", ratio.map(short) ?? "",
      allocations.map(short) ?? "",
      isDone ? verdict?.text ?? "" : "NOT DONE: its operations did not do their work",
    ]
  }
}

extension Verdict {
  /// The verdict in words: `met: 1.18 of 1.5 × floor, no allocation`.
  var text: String {
    var parts: [String] = []
    if let figure, let limit, let unit {
      parts.append("\(short(figure)) of \(short(limit)) \(unit)")
    }
    if let allocations {
      parts.append(allocations == 0 ? "no allocation" : "\(short(allocations)) allocations")
    }
    return (isMet ? "met: " : "NOT MET: ") + parts.joined(separator: ", ")
  }
}

/// A unit in which a number is short.
private struct Scale {
  var factor = 1.0
  var unit: String

  init(for value: Double, _ unit: Unit) {
    self.unit = unit.rawValue
    if unit == .bytes && value >= 1e4 { (factor, self.unit) = (1e6, "MB") }
    if unit == .nanoseconds && value >= 1e7 {
      (factor, self.unit) = (1e6, "ms")
    } else if unit == .nanoseconds && value >= 1e4 {
      (factor, self.unit) = (1e3, "µs")
    }
  }

  func text(_ value: Double) -> String { "\(short(value / factor)) \(unit)" }
}

/// A number with three significant digits.
func short(_ number: Double) -> String {
  if number == number.rounded() { return String(format: "%.0f", number) }
  let decimals = number.magnitude >= 100 ? 0 : number.magnitude >= 10 ? 1 : 2
  return String(format: "%.\(decimals)f", number)
}
