internal import Foundation

/// Writes a value's JSON while its type encodes it.
///
/// `JSONEncoder` makes a tree first, which took three quarters of a written commit. Only a tree
/// serves a type that encodes a key twice or out of turn, continues after an error, or reads its
/// coding path. This encoder gives up then: it ignores what follows, and `JSONEncoder` encodes the
/// value anew. The results are the same but for one: a value that a type adds to a `superEncoder()`
/// after its own `encode(to:)` has returned stays here, and `JSONEncoder` loses it.
struct DirectEncoder: PartEncoder {
  private let json: DirectJSON

  /// The number of the value that it encodes, or whose container it is.
  private let number: Int
  var elements: Int32 = -1

  /// Adds the JSON of a value, or nothing if it gives up.
  ///
  /// A file gets the bytes in pieces, of which the last one stays in `bytes`.
  ///
  /// - Returns: whether it was added.
  /// - Throws: an error of the file.
  static func add(
    _ value: some Encodable, to bytes: inout [UInt8], in file: LineFile? = nil
  ) throws -> Bool {
    if let file {
      try file.add(bytes[...])
      bytes = []
    }
    let (json, start, mark) = (DirectJSON(file), bytes.count, file?.mark)
    swap(&json.bytes, &bytes)
    let isAdded = (try? DirectEncoder(json, json.due).add(value)) != nil && json.end()
    swap(&json.bytes, &bytes)
    if let failure = json.failure { throw failure }
    if isAdded { return true }
    bytes.removeSubrange(start...)
    if let mark { try file?.goBack(to: mark) }
    return false
  }

  private init(_ json: DirectJSON, _ number: Int, elements: Int32 = -1) {
    (self.json, self.number, self.elements) = (json, number, elements)
  }

  var codingPath: [any CodingKey] {
    json.hasGivenUp = true
    return []
  }

  func opened(isKeyed: Bool) -> DirectEncoder {
    json.open(number, isKeyed: isKeyed)
    return DirectEncoder(json, number, elements: isKeyed ? -1 : 0)
  }

  func member(_ key: String?) -> DirectEncoder {
    DirectEncoder(json, json.begin(in: number, key ?? "super"))
  }

  func element() -> DirectEncoder { DirectEncoder(json, json.begin(in: number, nil)) }
  func addNil() { leaf("null") }
  func add<Value: Encodable>(_ value: Value, for key: String) throws { try member(key).add(value) }

  func add<Value: Encodable>(_ value: Value) throws {
    if json.hasGivenUp { return }
    // Each bit cast is sound because the types are the same.
    if Value.self == String.self {
      leaf(Quoted(unsafeBitCast(value, to: String.self)))
    } else if Value.self == Int.self {
      leaf(unsafeBitCast(value, to: Int.self))
    } else if Value.self == Bool.self {
      leaf(unsafeBitCast(value, to: Bool.self) ? "true" : "false")
    } else if Value.self == Double.self {
      real(unsafeBitCast(value, to: Double.self))
    } else if Value.self == Float.self {
      real(unsafeBitCast(value, to: Float.self))
    } else if integerTypes.contains(ObjectIdentifier(Value.self)) {
      leaf("\(value)")
    } else if Value.self == Data.self {
      leaf(Quoted(unsafeBitCast(value, to: Data.self).base64EncodedString()))
    } else if Value.self == URL.self {
      leaf(Quoted(unsafeBitCast(value, to: URL.self).absoluteString))
    } else if Value.self == Decimal.self {
      json.hasGivenUp = true
    } else {
      try addParts(of: value)
    }
  }

  private func addParts(of value: some Encodable) throws {
    do { try value.encode(to: self) } catch {
      json.hasGivenUp = true
      throw error
    }
    if json.due == number { json.hasGivenUp = true }
  }

  private func real(_ number: some BinaryFloatingPoint & CustomStringConvertible) {
    if !number.isFinite { json.hasGivenUp = true }
    let text = number.description
    leaf(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  private func leaf(_ part: some LinePart) {
    json.take(number)
    if json.hasGivenUp { return }
    part.add(to: &json.bytes)
    if json.bytes.count >= LineFile.pieceSize { json.addPiece() }
  }
}

/// The state of a ``DirectEncoder``, with the values numbered as they begin.
///
/// A value that is not at its turn makes it give up: one before the value that is due, or in a
/// container that has ended. It needs no exclusivity checks, because none of its methods calls code
/// of others.
private final class DirectJSON {
  @exclusivity(unchecked) var bytes: [UInt8] = []
  @exclusivity(unchecked) var hasGivenUp = false

  /// The number of the value to write next; 0 if a container begins the next one.
  @exclusivity(unchecked) private(set) var due = 1
  @exclusivity(unchecked) private var last = 1

  /// The open containers, and behind each one its first keys.
  @exclusivity(unchecked) private var open: [Open] = []

  private struct Open {
    let container: Int

    /// The byte that ends the container; nil for a key.
    let end: UInt8?
    var key = ""

    /// A container's further keys.
    var others: Set<String> = []
  }

  /// The file that gets the bytes in pieces.
  private let file: LineFile?
  @exclusivity(unchecked) private(set) var failure: (any Error)?

  init(_ file: LineFile?) {
    self.file = file
    open.reserveCapacity(8)
  }

  /// Hands all bytes but the last, which decides about a comma, to the file.
  func addPiece() {
    guard let file, let last = bytes.last else { return }
    do { try file.add(bytes.dropLast()) } catch {
      failure = error
      hasGivenUp = true
    }
    bytes.removeAll(keepingCapacity: true)
    bytes.append(last)
  }

  func take(_ number: Int) {
    if due != number { hasGivenUp = true }
    due = 0
  }

  func open(_ number: Int, isKeyed: Bool) {
    take(number)
    if hasGivenUp { return }
    bytes.append(UInt8(ascii: isKeyed ? "{" : "["))
    push(Open(container: number, end: UInt8(ascii: isKeyed ? "}" : "]")))
  }

  /// Begins a value of a container.
  ///
  /// - Returns: its number.
  func begin(in container: Int, _ key: String?) -> Int {
    if hasGivenUp { return 0 }
    close(downTo: container)
    if due != 0 || open.isEmpty { hasGivenUp = true }
    (last, due) = (last + 1, last + 1)
    if bytes.last != UInt8(ascii: key == nil ? "[" : "{") { bytes.append(UInt8(ascii: ",")) }
    if let key { add(key, of: container) }
    return last
  }

  private func add(_ key: String, of container: Int) {
    var index = open.count - 1
    while index >= 0 && open[index].end == nil {
      if open[index].key == key { hasGivenUp = true }
      index -= 1
    }
    if open.count - index <= 16 {
      push(Open(container: container, end: nil, key: key))
    } else if !open[index].others.insert(key).inserted {
      hasGivenUp = true
    }
    Quoted(key).add(to: &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  /// Ends all containers.
  ///
  /// - Returns: whether the value is whole.
  func end() -> Bool {
    close(downTo: 0)
    return due == 0 && !hasGivenUp
  }

  private func close(downTo container: Int) {
    while let index = open.indices.last, open[index].container != container {
      if let end = open[index].end { bytes.append(end) }
      open.removeLast()
    }
  }

  /// Adds a container or a key; of deeper values, only `JSONEncoder` knows the limit.
  private func push(_ new: Open) {
    if open.count == 200 { hasGivenUp = true }
    open.append(new)
  }
}

let integerTypes: [ObjectIdentifier] =
  ([
    Int64.self, UInt64.self, Int32.self, UInt32.self, UInt8.self, UInt.self, Int16.self,
    UInt16.self, Int8.self, Int128.self, UInt128.self,
  ] as [Any.Type]).map { ObjectIdentifier($0) }
