import CGlueNATS
import CGluePostgreSQL
import Foundation

/// Counts what senders do in a second, each of them on a thread, and one thing after the other.
func rate(senders: Int, _ make: @escaping @Sendable () -> (() -> Bool)) async -> Double {
  let start = ContinuousClock.now
  let count = await withTaskGroup { group in
    for _ in 0..<senders {
      group.addTask {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            let act = make()
            var count = 0
            while ContinuousClock.now - start < .seconds(1), act() { count += 1 }
            continuation.resume(returning: count)
          }
        }
      }
    }
    return await group.reduce(0, +)
  }
  return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
}

/// Publishes to a stream with nothing but the client, on one connection.
final class RawNATS: Sendable {
  // Sound: they are set once, and the client's functions may be called from any thread.
  private nonisolated(unsafe) var connection, stream: OpaquePointer?

  init(_ url: String, copies: Int) {
    natsConnection_ConnectTo(&connection, url)
    natsConnection_JetStream(&stream, connection, nil)
    var config = jsStreamConfig()
    jsStreamConfig_Init(&config)
    "raw".withCString {
      config.Name = $0
      config.Storage = js_FileStorage
      config.Replicas = Int64(copies)
      js_AddStream(nil, stream, &config, nil, nil)
    }
  }

  deinit {
    jsCtx_Destroy(stream)
    natsConnection_Destroy(connection)
  }

  func rate(senders: Int) async -> Double {
    await ClusterExample.rate(senders: senders) { { self.publish() } }
  }
}

extension RawNATS {
  fileprivate func publish() -> Bool {
    let status = entry.withUnsafeBytes {
      js_Publish(nil, stream, "raw", $0.baseAddress, Int32($0.count), nil, nil)
    }
    return status == NATS_OK
  }
}

/// Inserts rows with nothing but libpq, each sender on a connection of its own.
struct RawPostgreSQL: Sendable {
  let address: String

  init(_ address: String) {
    self.address = address
    let connection = PQconnectdb(address)
    PQclear(PQexec(connection, "CREATE TABLE raw (id bigserial PRIMARY KEY, entry text NOT NULL)"))
    PQfinish(connection)
  }

  func rate(senders: Int) async -> Double {
    await ClusterExample.rate(senders: senders) { [address] in
      let connection = RawConnection(address)
      let statement = "INSERT INTO raw (entry) VALUES ('\(String(decoding: entry, as: UTF8.self))')"
      return { connection.execute(statement) }
    }
  }
}

private final class RawConnection {
  private let connection: OpaquePointer?

  init(_ address: String) { connection = PQconnectdb(address) }

  deinit { PQfinish(connection) }

  func execute(_ statement: String) -> Bool {
    let result = PQexec(connection, statement)
    defer { PQclear(result) }
    return PQresultStatus(result) == PGRES_COMMAND_OK
  }
}

private let entry = [UInt8](repeating: 55, count: 100)
