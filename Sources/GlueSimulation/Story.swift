internal import Foundation

/// The events of a simulation, a line for each, with its virtual time.
struct Story: Equatable, Sendable {
  private var lines: [(time: Duration, text: String)] = []

  /// Which lines say that a fault happened or a machine stopped.
  private var faults: Set<Int> = []

  /// The line that says that the faults stop.
  private var healing: Int?

  static func == (a: Story, b: Story) -> Bool { a.all == b.all }

  mutating func add(_ text: String, at time: Duration, isFault: Bool = false) {
    if isFault { faults.insert(lines.count) }
    lines.append((time, text))
  }

  mutating func heal(at time: Duration) {
    healing = lines.count
    add("the faults stop", at: time)
  }

  var count: Int { lines.count }

  /// All lines.
  var all: [String] { lines.map { line in "\(padded(line.time))  \(line.text)" } }

  /// The lines, in which starts of a machine that end alike in succession are one.
  ///
  /// If there are too many, it keeps each fault with its neighbors and the end, and then the last ones
  /// before the faults stop. The lines after that are the least interesting.
  func shortened(to limit: Int) -> [String] {
    var texts: [(time: Duration, text: String, line: Int)] = []
    var index = 0
    while index < lines.count {
      let (time, text) = lines[index]
      let length = repeatedLength(at: index)
      var count = 1
      while length > 0, areAlike(index, index + count * length, length) { count += 1 }
      if count > 2 {
        texts += (index..<index + length).map { (lines[$0].time, lines[$0].text, $0) }
        texts.append(
          (lines[index + length].time, "… and so \(count - 1) more times", index + length))
        index += count * length
      } else {
        texts.append((time, text, index))
        index += 1
      }
    }
    let all = texts.map { line in "\(padded(line.time))  \(line.text)" }
    if all.count <= limit { return all }
    let kept = kept(of: texts.map(\.line), to: limit)
    var result: [String] = []
    var last = -1
    for index in kept.sorted() + [all.count] {
      if index - last > 1 { result.append("  … \(index - last - 1) lines …") }
      if index < all.count { result.append(all[index]) }
      last = index
    }
    return result
  }

  /// The indices of the lines to keep, by their numbers in the story.
  private func kept(of numbers: [Int], to limit: Int) -> Set<Int> {
    var kept = Set(numbers.indices.prefix(2)).union(numbers.indices.suffix(4))
    for (index, number) in numbers.enumerated() where faults.contains(number) || number == healing {
      kept.formUnion(max(0, index - 1)...min(numbers.count - 1, index + 1))
    }
    let end = healing.flatMap { numbers.firstIndex(of: $0) } ?? numbers.count
    for index in (numbers[..<end].indices.reversed() + numbers[end...].indices.reversed())
    where kept.count < limit {
      kept.insert(index)
    }
    return kept
  }

  /// How many lines a start of a machine takes up to its end, if nothing else happens meanwhile.
  private func repeatedLength(at index: Int) -> Int {
    guard let name = lines[index].text.machineOfStart else { return 0 }
    for length in 2..<6 where index + length < lines.count {
      if lines[index + length].text.machineOfStart == name { return length }
    }
    return 0
  }

  private func areAlike(_ first: Int, _ second: Int, _ length: Int) -> Bool {
    if second + length > lines.count { return false }
    return (0..<length).allSatisfy {
      lines[first + $0].text.withoutNumbers == lines[second + $0].text.withoutNumbers
    }
  }
}

extension String {
  fileprivate var machineOfStart: Substring? {
    guard let range = range(of: ": start ") else { return nil }
    return self[..<range.lowerBound]
  }

  var withoutNumbers: String { filter { !$0.isNumber } }
}

/// A time in seconds, for the story.
func seconds(_ time: Duration) -> String {
  if time < .zero { return "-" + seconds(.zero - time) }
  let milliseconds = Int((time / .milliseconds(1)).rounded())
  let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
  if rest == 0 { return "\(whole) s" }
  let digits = String(rest)
  return "\(whole).\(String(repeating: "0", count: 3 - digits.count))\(digits) s"
}

private func padded(_ time: Duration) -> String {
  let microseconds = Int(time / .microseconds(1))
  return String(format: "%4d.%06d", microseconds / 1_000_000, microseconds % 1_000_000)
}

/// The first line of a message, and no more than some characters of it.
func shortened(_ message: String, to limit: Int = 200) -> String {
  let line = message.split(separator: "\n").first.map(String.init) ?? ""
  return line.count > limit ? line.prefix(limit) + "…" : line
}

/// A commit in a line that a journal has written, as it reads there.
struct RecordedLine {
  let number: Int
  let intent: String

  init?(_ json: String) {
    guard let start = json.range(of: ",\"commit\":")?.upperBound,
      let number = Int(json[start...].prefix { $0.isNumber })
    else { return nil }
    self.number = number
    intent = json.range(of: "\"intent\":").map { Self.value(of: json[$0.upperBound...]) } ?? ""
  }

  /// The JSON value that a text begins with: an array.
  private static func value(of text: Substring) -> String {
    var (depth, isQuoted, isEscaped) = (0, false, false)
    for (count, character) in text.enumerated() {
      if isEscaped {
        isEscaped = false
        continue
      }
      switch character {
      case "\\": isEscaped = true
      case "\"": isQuoted.toggle()
      case "[", "{": if !isQuoted { depth += 1 }
      case "]", "}":
        if !isQuoted { depth -= 1 }
        if depth == 0 { return String(text.prefix(count + 1)) }
      default: break
      }
    }
    return String(text)
  }
}
