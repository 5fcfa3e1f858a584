import Foundation
import Glue
import GlueDescribing
import Testing

@testable import GlueInspector

@Suite("An inspector keeps what happened")
struct InspectorTests {
  private let inspector = Inspector<Names>()

  @Test("a commit comes with its intent, its cause, its effects and their outcome")
  func commits() throws {
    namesStore(inspector).dispatch(NamesIntent.type("a"))
    let told = try inspector.told
    #expect(told.map { $0["number"] as? Int } == [1, nil, 2, nil])
    #expect(told[0]["intent"] as? String == #"NamesIntent.type("a")"#)
    #expect(told[0]["effects"] as? [String] == [#"NamesEffect.find("a")"#])
    #expect(told[0]["cause"] == nil)
    #expect(told[1]["is"] as? String == "started")
    #expect(told[2]["cause"] as? [String: Int] == ["effect": 0, "of": 1])
    #expect(
      inspector.lines[2].hasSuffix(
        #""changes":[["hits[id: 1]","+","Hit(id: 1, name: \"a\")",0]],"#
          + #""values":[[0,["[id: 1]","Hit","p",[[".id","1"],[".name","\"a\""]],0]]]}"#))
    #expect(told[3]["is"] as? String == "ended")
    #expect(told[3]["effect"] as? Int == 0 && told[3]["of"] as? Int == 1)
  }

  @Test("times are seconds since 1970, in the order of the events")
  func times() throws {
    let before = Date().timeIntervalSince1970
    namesStore(inspector).dispatch(NamesIntent.type("a"))
    let told = try inspector.told
    let times = told.compactMap { $0["time"] as? Double }
    #expect(times.count == 4 && times[0] <= times[1] && times[1] <= times[2])
    #expect(times.allSatisfy { before - 1...Date().timeIntervalSince1970 + 1 ~= $0 })
  }

  @Test("effects are written as in a reducer")
  func effects() throws {
    let inspector = Inspector<Int>()
    Store(
      state: 0,
      reducer: { (_: inout Int, _: any Intent) in
        [NamesEffect.find("a").scheduled(.delay(.seconds(2)), id: "b"), CancelEffects(id: "b")]
      }, monitors: [inspector]
    ).dispatch(NamesIntent.type(""))
    #expect(
      try inspector.told[0]["effects"] as? [String] == [
        #"NamesEffect.find("a").scheduled(.delay(2.0 seconds), id: "b")"#,
        #"CancelEffects(id: "b")"#,
      ])
  }

  @Test("lasting effects are reported as they begin and cease, with what they cause in between")
  func lasting() async throws {
    let inspector = Inspector<Names>()
    let store = Store(
      state: Names(),
      reducer: { (state: inout Names, intent: NamesIntent) -> [any Effect] in
        if case .type(let text) = intent { state.query = text }
        return []
      }, monitors: [inspector],
      lasting: { state in
        state.query.isEmpty ? [] : [NamesEffect.find(state.query).lasting(id: "find")]
      })
    store.on(NamesEffect.self) { _, dispatch async in dispatch(NamesIntent.found([])) }
    store.dispatch(NamesIntent.type("a"))
    var lines: [String] = []
    for await line in inspector.events {
      lines.append(line)
      if lines.count == 4 { break }
    }
    store.dispatch(NamesIntent.type(""))
    await store.delivered()
    #expect(lines[0].contains(#""began":[["find","NamesEffect.find(\"a\")"]]"#))
    #expect(lines[1].hasPrefix(#"{"lasting":"find","of":1,"is":"started""#))
    #expect(lines[2].contains(#""cause":{"lasting":"find","of":1}"#))
    #expect(lines[3].hasPrefix(#"{"lasting":"find","of":1,"is":"ended""#))
    #expect(inspector.lines[4].contains(#""ceased":["find"]"#))
  }

  @Test("unhandled effects are reported, and sent intents")
  func unhandled() throws {
    let inspector = Inspector<Int>()
    let store = Store(
      state: 0,
      reducer: { (state: inout Int, _: any Intent) -> [any Effect] in
        state += 1
        return state > 1 ? [] : [Send(NamesIntent.type("")), NamesEffect.find("a")]
      }, monitors: [inspector], report: { _ in })
    store.dispatch(NamesIntent.found([]))
    let told = try inspector.told[0]
    #expect(told["unhandled"] as? [Int] == [1])
    #expect((told["effects"] as? [String])?.first == #"Send(NamesIntent.type(""))"#)
  }

  @Test("past the limit, the oldest commits go, with the outcome of their effects")
  func limit() throws {
    let inspector = Inspector<Names>(limit: 3)
    let store = namesStore(inspector)
    for _ in 0..<100 { store.dispatch(NamesIntent.type("a")) }
    let told = try inspector.told
    #expect(told.compactMap { $0["number"] as? Int } == [198, 199, 200])
    #expect(told.first?["number"] as? Int == 198)
    let file = TemporaryFile()
    try inspector.writeTrace(to: file.path)
    #expect(
      try object(file.text)["otherData"] as? [String: Int] == [
        "commitsGone": 197, "effectsLeftOut": 0,
      ])
  }

  @Test(
    "a whole state and the changes from it to the first kept commit are kept too")
  func base() throws {
    let inspector = Inspector<[Int]>(limit: 30)
    let store = Store(
      state: Array(0..<100),
      reducer: { (state: inout [Int], _: any Intent) -> [any Effect] in
        state[state[0] % 50 + 1] += 1
        state[0] += 1
        return []
      }, monitors: [inspector])
    for count in 1...200 {
      store.dispatch(NamesIntent.found([]))
      let first = max(1, count - 29)
      let line = inspector.log.withLock { $0.baseLine }
      let base = try line.map { try object("{\($0)}")["base"] as? [[String: Any]] ?? [] } ?? []
      let told = try inspector.told[0]
      #expect(told["number"] as? Int == first)
      #expect(base.compactMap { $0["number"] as? Int } == Array((first - base.count)..<first))
      #expect(base.count < 8 && (base.first ?? told)["state"] != nil)
      #expect(base.dropFirst().allSatisfy { $0["state"] == nil && $0["changes"] != nil })
    }
    while inspector.log.withLock({ $0.baseLine }) == nil {
      store.dispatch(NamesIntent.found([]))
    }
    let file = TemporaryFile()
    try inspector.writePage(to: file.path)
    #expect(try file.text.contains("\n{\"base\":[{\"number\":"))
  }

  @Test("if more changed than is listed, the whole state is kept, unless it is much larger")
  func partial() throws {
    func states(of count: Int) throws -> [Bool] {
      let inspector = Inspector<[String]>()
      let store = Store(
        state: Array(repeating: "some text that makes it long", count: count),
        reducer: { (state: inout [String], _: any Intent) -> [any Effect] in
          for index in 0..<60 { state[index] += "!" }
          return []
        }, monitors: [inspector])
      for _ in 0..<2 { store.dispatch(NamesIntent.found([])) }
      return try inspector.told.map { $0["state"] != nil }
    }
    #expect(try states(of: 60) == [true, true])
    #expect(try states(of: 199) == [true, true])
  }

  @Test("a commit of a recording has its place")
  func place() throws {
    let commits = Commits<Names>()
    let store = Store(state: Names(), reducer: names, monitors: [commits])
    store.dispatch(NamesIntent.type("a"))
    inspector.observe(commits.all[0], at: 1, place: "/tmp/1.log, byte 5\n</script>")
    #expect(try inspector.told[0]["place"] as? String == "/tmp/1.log, byte 5\\n</script>")
  }

  @Test("the limit counts commits, not effects or events before the first commit")
  func limitOfCommits() async throws {
    let inspector = Inspector<Int>(limit: 2)
    let store = Store(
      state: 0,
      reducer: { (state: inout Int, _: any Intent) -> [any Effect] in
        state += 1
        return Array(repeating: NamesEffect.find("a"), count: 1000)
      }, monitors: [inspector], lasting: { _ in [NamesEffect.find("b").lasting(id: 1)] })
    store.on(NamesEffect.self) { (_: NamesEffect, _: @escaping DispatchFunc) async in }
    var events = inspector.events.makeAsyncIterator()
    #expect(await events.next()?.hasPrefix(#"{"lasting":"1","of":0,"#) == true)
    for _ in 0..<3 { await store.perform(NamesIntent.type("")) }
    await store.delivered()
    let told = try inspector.told
    #expect(told.compactMap { $0["number"] as? Int } == [2, 3])
    #expect(told[0]["unlistedEffects"] as? Int == 950)
    #expect(told.count { $0["effect"] != nil } == 200)
  }

  @Test("a limit of 0 stops the program")
  func noLimit() async {
    await #expect(processExitsWith: .failure) { _ = Inspector<Names>(limit: 0) }
  }

  @Test("all kept states take about as much space as the changes")
  func states() throws {
    let inspector = Inspector<Names>(limit: 2000)
    let store = namesStore(inspector)
    for number in 0..<1000 { store.dispatch(NamesIntent.signIn(token: "\(number)")) }
    let lines = inspector.lines
    let sizes: [Int] = lines.map { line in
      line.range(of: #","state":"#).map { line[$0.lowerBound...].utf8.count } ?? 0
    }
    #expect(sizes[0] > 0)
    #expect(sizes.count { $0 > 0 } > 5)
    let (states, all) = (sizes.reduce(0, +), lines.reduce(0) { $0 + $1.utf8.count })
    #expect(2 * states < all)
  }

  @Test("redacted values appear nowhere, and descriptions appear as given")
  func redaction() throws {
    let inspector = Inspector<Names>(
      redact: [.path("token"), .path("signIn")],
      describe: { value, path in path.hasSuffix("name") ? "a name" : nil })
    let store = namesStore(inspector)
    store.dispatch(NamesIntent.signIn(token: "hunter2"))
    store.dispatch(NamesIntent.signIn(token: "hunter3"))
    store.dispatch(NamesIntent.type("Ada"))
    let all = inspector.lines.joined()
    #expect(!all.contains("hunter"))
    #expect(
      all.contains(#"["token","=","<redacted>","<redacted>"]"#.replacing("<", with: "\\u003c")))
    #expect(all.contains("Hit(id: 1, name: a name)"))
  }

  @Test("new values are sent as trees, while there is room for their parts")
  func values() throws {
    let inspector = Inspector<[[Int]]>()
    let store = Store(
      state: [[Int]](),
      reducer: { (state: inout [[Int]], intent: NamesIntent) -> [any Effect] in
        if case .type(let text) = intent {
          state += Array(repeating: Array(0..<200), count: Int(text) ?? 0)
        }
        return []
      }, monitors: [inspector])
    for count in ["2", "50", "0"] { store.dispatch(NamesIntent.type(count)) }
    let told = try inspector.told.map { ($0["values"] as? [[Any]])?.map { $0[0] as? Int } }
    #expect(told == [[0, 1], [0, 1, 2, 3, 4], nil])
  }

  @Test("a recording's commits keep their times, even wrong ones")
  func recordings() throws {
    let commits = Commits<Names>()
    let store = Store(state: Names(), reducer: names, monitors: [commits])
    store.dispatch(NamesIntent.type("a"))
    let times = [1_700_000_000.25, -1.5, .nan, .infinity]
    for time in times { inspector.observe(commits.all[0], at: time) }
    #expect(
      try inspector.told.map { $0["time"] as? Double } == [1_700_000_000.25, -1.5, 0, 6.3e9])
  }
}
