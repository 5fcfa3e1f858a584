internal import Foundation

/// The parts that a value encodes, without their contents.
///
/// The elements of an array have one shape, and so do the values of a dictionary. So it takes little
/// memory, however large the value is, and the order of a set's elements does not matter.
final class Shape {
  private var isLeaf = false
  private var isContainer = false

  /// Whether it is a dictionary that encodes as an object, so that the names of its members are
  /// values.
  private var isDictionary = false
  private var members: [String: Shape] = [:]
  private var elements: Shape?

  /// - Throws: what the value's encoding throws.
  init(of value: some Encodable) throws { try ShapeEncoder(shape: self).add(value) }

  private init() {}

  /// The paths of the values of an object or array that this shape lacks, such as `rooms[].topic`.
  ///
  /// A value that is null is nowhere lacking. In a path, `*` stands for the keys of a dictionary.
  func paths(missingFrom json: JSON) -> Set<String> {
    var paths: Set<String> = []
    add(missingFrom: json, at: "", to: &paths)
    return paths
  }

  private func add(missingFrom json: JSON, at path: String, to paths: inout Set<String>) {
    if json.isNull { return }
    if json.bytes.first == UInt8(ascii: "{"), let members = json.members?.all {
      for (name, value) in members {
        let part = isDictionary ? elements : self.members[name]
        let path = (path.isEmpty ? "" : path + ".") + (isDictionary ? "*" : name)
        Shape.add(missingFrom: value, part, at: path, to: &paths)
      }
    } else if json.bytes.first == UInt8(ascii: "["), let elements = json.elements {
      for value in elements {
        Shape.add(missingFrom: value, self.elements, at: path + "[]", to: &paths)
      }
    } else if !isLeaf {
      paths.insert(path)
    }
  }

  private static func add(
    missingFrom json: JSON, _ part: Shape?, at path: String, to paths: inout Set<String>
  ) {
    if let part, part.isLeaf || part.isContainer {
      part.add(missingFrom: json, at: path, to: &paths)
    } else if !json.isNull {
      paths.insert(path)
    }
  }

  /// Adds the parts of a value while its type encodes it.
  private struct ShapeEncoder: PartEncoder {
    let shape: Shape
    var elements: Int32 = -1

    func opened(isKeyed: Bool) -> ShapeEncoder {
      shape.isContainer = true
      return ShapeEncoder(shape: shape, elements: isKeyed ? -1 : 0)
    }

    func member(_ key: String?) -> ShapeEncoder {
      let name = key ?? "super"
      if let part = shape.members[name] { return ShapeEncoder(shape: part) }
      let part = Shape()
      shape.members[name] = part
      return ShapeEncoder(shape: part)
    }

    func element() -> ShapeEncoder {
      let part = shape.elements ?? Shape()
      shape.elements = part
      return ShapeEncoder(shape: part)
    }

    func addNil() {}

    func add<Value: Encodable>(_ value: Value, for key: String) throws {
      try member(key).add(value)
    }

    func add<Value: Encodable>(_ value: Value) throws {
      switch value {
      case is String, is Bool, is any BinaryInteger, is any BinaryFloatingPoint, is Data, is URL,
        is Decimal:
        shape.isLeaf = true
      case let value as any DictionaryValue where value.isObject:
        let encoder = opened(isKeyed: true)
        shape.isDictionary = true
        try value.addValues(to: encoder)
      default: try value.encode(to: self)
      }
    }
  }
}

private protocol DictionaryValue {
  /// Whether it encodes as an object, not as a list of keys and values.
  var isObject: Bool { get }
  func addValues(to encoder: some PartEncoder) throws
}

extension Dictionary: DictionaryValue where Key: Encodable, Value: Encodable {
  fileprivate var isObject: Bool {
    Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
  }

  fileprivate func addValues(to encoder: some PartEncoder) throws {
    for value in values { try encoder.element().add(value) }
  }
}
