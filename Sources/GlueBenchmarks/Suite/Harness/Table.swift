/// A table in which columns are aligned: the first and the last to the left, others to the right.
struct Table {
  private var lines: [[String]]

  init(header: [String]) {
    lines = [header]
  }

  /// Adds a line, of as many cells as the header has.
  mutating func append(_ line: [String]) {
    lines.append(line)
  }

  var text: String {
    let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      let cells = line.indices.map { column in
        let blanks = String(repeating: " ", count: widths[column] - line[column].count)
        let isLeft = column == 0 || column == line.count - 1
        return isLeft ? line[column] + blanks : blanks + line[column]
      }
      return trimmed(cells.joined(separator: "  ")) + "\n"
    }.joined()
  }

  private func trimmed(_ line: String) -> Substring {
    line.dropLast(line.reversed().prefix { $0 == " " }.count)
  }
}
