#if NATS
  import CGlueNATS
  public import GlueCluster

  extension NATSLog {
    /// Reads a snapshot: the manifest in the bucket, and the chunks that it names.
    public func snapshot() async throws(LogError) -> LogSnapshot? {
      try await on(keeping) { () throws(LogError) in
        let bucket = try self.bucket(self.nats.connection(until: .request))
        defer { kvStore_Destroy(bucket) }
        guard let manifest = try Self.value(of: "manifest", in: bucket) else { return nil }
        let (position, chunks) = try Self.parse(manifest.bytes)
        var bytes: [UInt8] = []
        for chunk in 0..<chunks {
          guard let value = try Self.value(of: "chunk.\(position).\(chunk)", in: bucket) else {
            throw .cut("A newer snapshot took the place of the one at \(position) just now.")
          }
          bytes += value.bytes
        }
        return LogSnapshot(position: position, bytes: bytes)
      }
    }

    /// Keeps a snapshot on the connection that is the session, or on any.
    ///
    /// It is kept in chunks below NATS's 1 MiB a message, the manifest last. A manifest replaces just the
    /// one that was seen to be older: one that a stopped writer sends late is refused.
    public func keep(
      _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
    ) async throws(LogError) {
      try await on(keeping) { () throws(LogError) in
        let connection = try self.connection(of: session, until: .request)
        let bucket = try self.bucket(connection)
        defer { kvStore_Destroy(bucket) }
        let old = try Self.value(of: "manifest", in: bucket)
        let before = try old.map { (old) throws(LogError) in try Self.parse(old.bytes) }
        if let before, before.position >= snapshot.position {
          // The log may have lost the entry of that one.
          let last = try self.withStreamInfo(connection, until: .request) { Int($0.State.LastSeq) }
          if before.position <= last ?? .max { return }
        }
        let chunks = try Self.putChunks(of: snapshot, in: bucket)
        let manifest = Array("\(snapshot.position) \(chunks)".utf8)
        try Self.put(manifest, as: "manifest", in: bucket, replacing: old?.revision ?? 0)
        // Not newer ones: another writer may keep one meanwhile. Not the one before: a replica that
        // begins may still be reading it.
        let last = before.map(\.position).flatMap { $0 < snapshot.position ? $0 : nil }
        for other in try Self.positions(in: bucket)
        where other != last && (other < snapshot.position || other == before?.position) {
          Self.purge("KV_\(self.name)", "$KV.\(self.name).chunk.\(other).>", connection)
        }
        if position > 1 { Self.purge(self.name, nil, upTo: position, connection) }
      }
    }

    /// Puts all but the manifest; a writer that ends here leaves chunks for the next one to purge.
    static func putChunks(
      of snapshot: LogSnapshot, in bucket: OpaquePointer?
    ) throws(LogError) -> Int {
      let starts = Array(stride(from: 0, to: snapshot.bytes.count, by: chunk))
      for (number, start) in starts.enumerated() {
        let bytes = snapshot.bytes[start..<min(start + chunk, snapshot.bytes.count)]
        try put(Array(bytes), as: "chunk.\(snapshot.position).\(number)", in: bucket)
      }
      return starts.count
    }

    /// The positions of all snapshots that have chunks.
    static func positions(in bucket: OpaquePointer?) throws(LogError) -> Set<LogPosition> {
      var list = kvKeysList()
      let status = kvStore_Keys(&list, bucket, nil)
      if status == NATS_NOT_FOUND { return [] }
      try check(status)
      defer { kvKeysList_Destroy(&list) }
      let keys = (0..<Int(list.Count)).compactMap { list.Keys[$0].map { String(cString: $0) } }
      return Set(
        keys.compactMap { key in
          let parts = key.split(separator: ".")
          return parts.count == 3 && parts[0] == "chunk" ? LogPosition(parts[1]) : nil
        })
    }

    private static let chunk = 512 * 1024

    private static func parse(
      _ manifest: [UInt8]
    ) throws(LogError) -> (position: LogPosition, chunks: Int) {
      let numbers = String(decoding: manifest, as: UTF8.self).split(separator: " ").map { Int($0) }
      guard numbers.count == 2, let position = numbers[0], let chunks = numbers[1] else {
        throw .cut("The snapshot's manifest has another form than \"position chunks\": \(manifest)")
      }
      return (position, chunks)
    }

    func bucket(_ connection: Connection) throws(LogError) -> OpaquePointer? {
      try ensureStream(connection, until: .request)
      var bucket: OpaquePointer?
      try check(js_KeyValue(&bucket, connection.stream, name), connection)
      return bucket
    }

    private static func value(
      of key: String, in bucket: OpaquePointer?
    ) throws(LogError) -> (bytes: [UInt8], revision: UInt64)? {
      var entry: OpaquePointer?
      let status = kvStore_Get(&entry, bucket, key)
      if status == NATS_NOT_FOUND { return nil }
      try check(status)
      defer { kvEntry_Destroy(entry) }
      let value = UnsafeRawBufferPointer(
        start: kvEntry_Value(entry), count: Int(kvEntry_ValueLen(entry)))
      return (Array(value), kvEntry_Revision(entry))
    }

    // The revision is that of the value that it replaces, 0 for none; nil replaces any.
    private static func put(
      _ bytes: [UInt8], as key: String, in bucket: OpaquePointer?, replacing revision: UInt64? = nil
    ) throws(LogError) {
      let status = bytes.withUnsafeBytes { bytes in
        let count = Int32(bytes.count)
        guard let revision else { return kvStore_Put(nil, bucket, key, bytes.baseAddress, count) }
        return revision == 0
          ? kvStore_Create(nil, bucket, key, bytes.baseAddress, count)
          : kvStore_Update(nil, bucket, key, bytes.baseAddress, count, revision)
      }
      try check(status)
    }

    // If that fails the messages stay until the next snapshot.
    private static func purge(
      _ stream: String, _ subject: String?, upTo position: LogPosition = 0, _ connection: Connection
    ) {
      var options = jsOptions()
      jsOptions_Init(&options)
      options.Stream.Purge.Sequence = UInt64(position)
      if let subject {
        withCString(subject) {
          options.Stream.Purge.Subject = $0
          js_PurgeStream(connection.stream, stream, &options, nil)
        }
      } else {
        js_PurgeStream(connection.stream, stream, &options, nil)
      }
    }
  }
#endif
