import GlueTesting

/// A random value of most kinds that a state is made of.
struct Sample {
  struct Item: Identifiable {
    var id: Int
    var name: String
    var tags: [Int]
  }

  struct Line: Equatable {
    var text: String
    var number: Int
  }

  struct Row {
    var cells: [Int]
    var line: Line
  }

  enum Phase {
    case idle
    case done
    case loading(query: String, page: Int)
    case failed(code: Int)
    case loaded([Item])
    case picked(Row)
    indirect case after(Phase)
  }

  var number: Int
  var text: String
  var maybe: Int?
  var row: Row?
  var numbers: [Int]
  var grid: [[Int]]
  var items: [Item]
  var lines: [Line]
  var rows: [Row]
  var slice: ArraySlice<Int>
  var table: [String: [Int]]
  var groups: [String: [Item]]
  var members: Set<Int>
  var pairs: KeyValuePairs<String, Int>
  var phase: Phase
  var point: (x: Int, Bool)
  var any: Any
}

extension Xorshift {
  mutating func number() -> Int { next(below: 5) }

  mutating func text() -> String {
    array(upTo: 3) { generator in
      ["a", "b", "\"", "\\", "\n", "é", "[1]: added", " → "][generator.next(below: 8)]
    }.joined()
  }

  mutating func array<Element>(
    upTo count: Int, _ element: (inout Xorshift) -> Element
  ) -> [Element] {
    let count = next(below: count + 1)
    return (0..<count).map { _ in element(&self) }
  }

  mutating func maybe<Value>(_ value: (inout Xorshift) -> Value) -> Value? {
    next(below: 2) == 0 ? nil : value(&self)
  }

  mutating func line() -> Sample.Line { Sample.Line(text: text(), number: number()) }

  mutating func row() -> Sample.Row {
    Sample.Row(cells: array(upTo: 3) { $0.number() }, line: line())
  }

  mutating func item() -> Sample.Item {
    Sample.Item(id: next(below: 12), name: text(), tags: array(upTo: 2) { $0.number() })
  }

  /// Items, as a rule with ids that are unique.
  mutating func items() -> [Sample.Item] {
    let items = array(upTo: 8) { $0.item() }
    if next(below: 8) == 0 { return items }
    var ids: Set<Int> = []
    return items.filter { ids.insert($0.id).inserted }
  }

  mutating func pairs() -> KeyValuePairs<String, Int> {
    let pairs = array(upTo: 4) { (["a", "b", "c", "d"][$0.next(below: 4)], $0.number()) }
    switch pairs.count {
    case 0: return [:]
    case 1: return [pairs[0].0: pairs[0].1]
    case 2: return [pairs[0].0: pairs[0].1, pairs[1].0: pairs[1].1]
    case 3: return [pairs[0].0: pairs[0].1, pairs[1].0: pairs[1].1, pairs[2].0: pairs[2].1]
    default:
      return [
        pairs[0].0: pairs[0].1, pairs[1].0: pairs[1].1, pairs[2].0: pairs[2].1,
        pairs[3].0: pairs[3].1,
      ]
    }
  }

  mutating func phase() -> Sample.Phase {
    switch next(below: 8) {
    case 0: .idle
    case 1: .done
    case 2: .loading(query: text(), page: number())
    case 3: .failed(code: number())
    case 4: .loaded(items())
    case 5: .picked(row())
    default: .after(phase())
    }
  }

  mutating func table<Value>(_ value: (inout Xorshift) -> Value) -> [String: Value] {
    let entries = array(upTo: 4) { (["a", "b", "c", "d"][$0.next(below: 4)], value(&$0)) }
    return Dictionary(entries) { first, _ in first }
  }

  mutating func any() -> Any {
    switch next(below: 4) {
    case 0: number()
    case 1: text()
    case 2: line()
    default: array(upTo: 3) { $0.number() }
    }
  }

  mutating func sample() -> Sample {
    Sample(
      number: number(), text: text(), maybe: maybe { $0.number() }, row: maybe { $0.row() },
      numbers: array(upTo: 12) { $0.number() },
      grid: array(upTo: 3) { $0.array(upTo: 3) { $0.number() } }, items: items(),
      lines: array(upTo: 6) { $0.line() }, rows: array(upTo: 4) { $0.row() },
      slice: array(upTo: 4) { $0.number() }.dropFirst(),
      table: table { $0.array(upTo: 3) { $0.number() } },
      groups: table { $0.items() }, members: Set(array(upTo: 4) { $0.next(below: 20) }),
      pairs: pairs(), phase: phase(), point: (number(), next(below: 2) == 0), any: any())
  }

  /// Removes, inserts, moves and replaces a few elements.
  mutating func edit<Element>(_ array: inout [Element], _ element: (inout Xorshift) -> Element) {
    for _ in 0..<next(below: 4) {
      let position = next(below: array.count + 1)
      switch next(below: 4) {
      case 0: array.insert(element(&self), at: position)
      case 1 where position < array.count: array.remove(at: position)
      case 2 where position < array.count: array[position] = element(&self)
      case 3 where position < array.count:
        let moved = array.remove(at: position)
        array.insert(moved, at: next(below: array.count + 1))
      default: break
      }
    }
  }

  /// Changes about one property in four.
  mutating func change(_ sample: inout Sample) {
    let fresh = self.sample()
    func isChosen(_ generator: inout Xorshift) -> Bool { generator.next(below: 4) == 0 }
    if isChosen(&self) { sample.number = fresh.number }
    if isChosen(&self) { sample.text = fresh.text }
    if isChosen(&self) { sample.maybe = fresh.maybe }
    if isChosen(&self) { sample.row = fresh.row }
    if isChosen(&self) { edit(&sample.numbers) { $0.number() } }
    if isChosen(&self) { edit(&sample.grid) { $0.array(upTo: 3) { $0.number() } } }
    if isChosen(&self) { edit(&sample.items) { $0.item() } }
    if isChosen(&self) { edit(&sample.lines) { $0.line() } }
    if isChosen(&self) { edit(&sample.rows) { $0.row() } }
    if isChosen(&self) { sample.slice = fresh.slice }
    if isChosen(&self) { sample.table = fresh.table }
    if isChosen(&self) { sample.groups = fresh.groups }
    if isChosen(&self) { sample.members = fresh.members }
    if isChosen(&self) { sample.pairs = fresh.pairs }
    if isChosen(&self) { sample.phase = fresh.phase }
    if isChosen(&self) { sample.point = fresh.point }
    if isChosen(&self) { sample.any = fresh.any }
  }
}
