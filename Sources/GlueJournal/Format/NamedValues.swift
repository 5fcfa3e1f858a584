package import Glue
import GlueDescribing

/// Encodes single values by their names in the format, for logs other than a journal.
extension JournalFormat {
  /// The reason why a value can't be written or read.
  ///
  /// It names type, name and coding path, but never shows the value.
  package struct ValueError: Error, CustomStringConvertible {
    package let description: String
  }

  /// Whether the format names the intent's type.
  package func names(_ intent: any Intent) -> Bool { coding.intents.contains(type(of: intent)) }

  /// Whether effects of this type must happen; false for a scheduled effect.
  package func names(_ effect: any Effect) -> Bool {
    !(effect is ScheduledEffect)
      && coding.effects.first(of: type(of: ownEffect(effect).effect))?.isKept == true
  }

  /// The names of all intents that this format reads, in order.
  package var intentNames: [String] { coding.intents.map(\.name).sorted() }

  /// The names that an intent's line holds: its own, and that of an intent inside it.
  package func names(in intent: any Intent) -> [String] {
    let own = coding.intents.first(of: type(of: intent)).map { [$0.name] } ?? []
    return own + (address(of: intent).map { names(in: $0.intent) } ?? [])
  }

  /// An intent as `["name",value]`, without a line feed.
  package func line(of intent: any Intent) throws(ValueError) -> [UInt8] {
    try described {
      var line = LineBuffer()
      try coding.write(intent, to: &line)
      return line.bytes
    }
  }

  package func intent(from line: ArraySlice<UInt8>) throws(ValueError) -> any Intent {
    try described { try coding.intent(from: JSON(line)) }
  }

  /// An intent as `["name",value]`, which was decoded once, so that readers can.
  package func decodableLine(of intent: any Intent) throws(ValueError) -> [UInt8] {
    let line = try line(of: intent)
    do { _ = try self.intent(from: line[...]) } catch {
      throw ValueError(
        description: "a value of type \(type(of: intent)) encodes but does not decode: \(error)")
    }
    return line
  }

  /// An effect that must happen as `["name",value]`, without a line feed.
  package func line(of effect: any Effect) throws(ValueError) -> [UInt8] {
    try described {
      guard let recorded = coding.name(of: effect) else {
        throw CodingFailure("effects of type \(type(of: effect)) have no name in the format")
      }
      var line = LineBuffer()
      line.add("[", Quoted(recorded.name), ",")
      try recorded.write(ownEffect(effect).effect, coding, &line)
      try coding.writePath(of: effect, to: &line)
      line.add("]")
      return line.bytes
    }
  }

  package func effect(from line: ArraySlice<UInt8>) throws(ValueError) -> any Effect {
    try described {
      guard let parts = JSON(line).elements, [2, 3].contains(parts.count) else {
        throw CodingFailure("an effect is not [\"name\",value]")
      }
      guard let recorded = coding.effects.first(named: parts[0].text) else {
        throw CodingFailure("no effect has this name in this format; \(newerProgram)")
      }
      return try within("effect \"\(recorded.name)\"") {
        let effect = try recorded.read(parts[1], coding)
        return parts.count == 2 ? effect : try coding.inside(parts[2], effect)
      }
    }
  }

  package func line(of state: State) throws(ValueError) -> [UInt8] {
    try described {
      var line = LineBuffer()
      try line.value(state, coding)
      return line.bytes
    }
  }

  package func state(from line: ArraySlice<UInt8>) throws(ValueError) -> State {
    try described { try coding.decode(State.self, from: JSON(line)) }
  }

  /// The paths of the values in a written state that this program's type doesn't write again.
  package func unread(in line: ArraySlice<UInt8>) throws(ValueError) -> [String] {
    coding.unread(in: JSON(line), by: try state(from: line))
  }

  /// Returns the digest that journals use (J13); nil for a state that doesn't encode.
  package func digest(of state: State) -> StateDigest? {
    (try? Digest.of(state)).flatMap { $0 }.map(StateDigest.init)
  }

  /// The paths in which a state differs from one that was written, up to 20; nil if in none.
  ///
  /// Both are compared as this program's type reads them. So a property that only the other program
  /// knows doesn't count, nor does one that the encoding leaves out.
  package func difference(
    of state: State, from line: ArraySlice<UInt8>
  ) throws(ValueError) -> String? {
    let theirs = try self.state(from: line)
    let mine = try self.state(from: try self.line(of: state)[...])
    guard let theirDigest = digest(of: theirs),
      let properties = digest(of: mine)?.difference(from: theirDigest)
    else { return nil }
    // An object's properties have no paths, so the digests name them.
    let paths = stateDiff(theirs, mine).listed.map(\.path)
    let names = paths.isEmpty ? [properties] : paths
    return names.map { $0.isEmpty ? "the whole state" : $0 }.joined(separator: ", ")
  }

  private func described<Value>(_ body: () throws -> Value) throws(ValueError) -> Value {
    do { return try body() } catch { throw ValueError(description: reason(of: error)) }
  }
}

/// A digest that identifies a state, and finds the properties in which two states differ.
package struct StateDigest: Codable, Equatable, Sendable {
  /// The number of the algorithm.
  let algorithm: Int
  let sum: Int
  let properties: [String: Int]

  init(_ digest: Digest) {
    algorithm = Digest.algorithm
    sum = digest.sum
    properties = Dictionary(digest.properties.map { ($0, $1) }) { $1 }
  }

  /// The properties whose encodings differ; nil if the states are equal, or if the digests can't be
  /// compared because their algorithms differ.
  package func difference(from other: StateDigest) -> String? {
    if self == other || algorithm != other.algorithm { return nil }
    return differing(from: other).joined(separator: ", ")
  }

  /// The names of the properties whose sums differ.
  func differing(from other: StateDigest) -> [String] {
    Set(properties.keys).union(other.properties.keys)
      .filter { properties[$0] != other.properties[$0] }.sorted()
  }
}
