import Foundation

/// A line of cron: minute, hour, day of the month, month, day of the week; 0 and 7 are Sunday.
struct Cron: Equatable, Sendable {
  private let minutes, hours, days, months, weekdays: Set<Int>

  /// Whether a day must fit both fields, because at least one of them takes all days.
  private let needsBoth: Bool

  /// Parses a line; nil if it is none.
  init?(_ line: String) {
    let fields = line.split(separator: " ")
    guard fields.count == 5, let minutes = values(of: fields[0], 0...59),
      let hours = values(of: fields[1], 0...23), let days = values(of: fields[2], 1...31),
      let months = values(of: fields[3], 1...12), let weekdays = values(of: fields[4], 0...7)
    else { return nil }
    (self.minutes, self.hours, self.days, self.months) = (minutes, hours, days, months)
    self.weekdays = Set(weekdays.map { $0 % 7 })
    needsBoth = fields[2] == "*" || fields[4] == "*"
  }

  /// The first minute after a date that the line names, within five years.
  func next(after date: Date, in zone: TimeZone) -> Date? {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    func end(of unit: Calendar.Component, _ date: Date) -> Date {
      calendar.dateInterval(of: unit, for: date)?.end ?? .distantFuture
    }
    var next = end(of: .minute, date)
    let limit = date + 5 * 366 * 86_400
    while next < limit {
      let parts = calendar.dateComponents([.month, .day, .weekday, .hour, .minute], from: next)
      if !months.contains(parts.month ?? 0) {
        next = end(of: .month, next)
      } else if !fits(day: parts.day ?? 0, weekday: (parts.weekday ?? 0) - 1) {
        next = end(of: .day, next)
      } else if !hours.contains(parts.hour ?? -1) {
        next = end(of: .hour, next)
      } else if !minutes.contains(parts.minute ?? -1) {
        next = end(of: .minute, next)
      } else {
        return next
      }
    }
    return nil
  }

  private func fits(day: Int, weekday: Int) -> Bool {
    let (fitsDay, fitsWeekday) = (days.contains(day), weekdays.contains(weekday))
    return needsBoth ? fitsDay && fitsWeekday : fitsDay || fitsWeekday
  }
}

/// The values of a field, such as `*/5`, `1-5` or `0,30`; nil if it is none.
private func values(of field: Substring, _ all: ClosedRange<Int>) -> Set<Int>? {
  var values: Set<Int> = []
  for part in field.split(separator: ",", omittingEmptySubsequences: false) {
    let halves = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let step = halves.count == 1 ? 1 : Int(halves[1]), step > 0,
      let range = range(of: halves[0], all), all.contains(range.lowerBound),
      all.contains(range.upperBound)
    else { return nil }
    values.formUnion(stride(from: range.lowerBound, through: range.upperBound, by: step))
  }
  return values
}

private func range(of text: Substring, _ all: ClosedRange<Int>) -> ClosedRange<Int>? {
  if text == "*" { return all }
  let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
  guard let first = ends.first, let first, let last = ends.last, let last, ends.count <= 2,
    first <= last
  else { return nil }
  return first...last
}
