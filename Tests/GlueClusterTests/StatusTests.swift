import Foundation
import Testing

@testable import GlueCluster

/// A status for people, and for machines.
@Suite struct StatusTests {
  private let status = SharedStoreStatus(
    link: .live, position: 12, lag: 3, version: 2, canDrop: 1, owner: "eu-1", owed: 4,
    failing: [
      OwedID(position: 12, index: 0): OwedFailure(
        reason: "it threw: Full()", tries: 3, next: Date(timeIntervalSinceReferenceDate: 60))
    ], appendFailure: "The disk is full.", replicas: ["eu-2": 1, "eu-1": 2],
    heard: ["eu-2": Date(timeIntervalSinceReferenceDate: 30)])
  private let cut = SharedStoreStatus(
    link: .cut("no route\nto host"), position: 0, lag: 0, version: 0, canDrop: nil, owner: nil,
    owed: 0, failing: [:], appendFailure: nil, replicas: [:], heard: [:])

  @Test func isOneLine() {
    #expect(
      status.description
        == "live, position 12, lag 3, version 2, can drop 1, owner eu-1, owed 4, "
        + "failing 12.0: it threw: Full(), appends fail: The disk is full., replicas eu-1: 2, eu-2: 1"
    )
    #expect(
      cut.description
        == "cut, position 0, lag 0, version 0, no owner, owed 0, no replicas, no route to host")
  }

  @Test func isJSON() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    func json(_ status: SharedStoreStatus) throws -> String {
      String(decoding: try encoder.encode(status), as: UTF8.self)
    }
    #expect(
      try json(status)
        == #"{"appendFailure":"The disk is full.","canDrop":1,"#
        + #""failing":{"12.0":{"next":60,"reason":"it threw: Full()","tries":3}},"heard":{"eu-2":30},"#
        + #""lag":3,"link":"live","owed":4,"owner":"eu-1","position":12,"#
        + #""replicas":{"eu-1":2,"eu-2":1},"version":2}"#)
    #expect(
      try json(cut)
        == #"{"failing":{},"heard":{},"lag":0,"link":"cut","owed":0,"position":0,"reason":"no route\nto host","#
        + #""replicas":{},"version":0}"#)
  }
}
