#if PostgreSQL
  import Dispatch
  import GlueCluster

  /// One connection to PostgreSQL, made when it is needed, and used by one call at a time.
  ///
  /// If the server doesn't answer in time, the connection is given up: a late answer would come to the
  /// next call. Each statement is a transaction of its own, so a process that freezes between two holds
  /// no lock.
  ///
  /// Calls wait for each other, so each ends by the latest limit of those before it. If no connection
  /// can be made, all calls that wait by then fail at once.
  actor Session {
    private let address: String
    private let listens: Bool
    private let warn: @Sendable (String) -> Void
    private let executor = QueueExecutor()
    private var connection: Connection?
    private var failure: (error: LogError, at: ContinuousClock.Instant)?

    /// The reads that wait for entries, by log; a read that has ended goes when it is woken.
    private var readers: [String: [AsyncStream<Void>.Continuation]] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ address: String, listens: Bool = false, warn: @escaping @Sendable (String) -> Void) {
      self.address = address
      self.listens = listens
      self.warn = warn
    }

    /// Uses the connection for a log, which it makes if it isn't there.
    nonisolated func run<Value: Sendable>(
      for log: String, until end: ContinuousClock.Instant,
      _ body: @Sendable (Connection) throws(LogError) -> Value
    ) async throws(LogError) -> Value {
      try await run(for: log, since: .now, until: end, body)
    }

    private func run<Value: Sendable>(
      for log: String, since start: ContinuousClock.Instant, until end: ContinuousClock.Instant,
      _ body: @Sendable (Connection) throws(LogError) -> Value
    ) throws(LogError) -> Value {
      defer { wakeReaders() }
      if let failure, failure.at > start { throw failure.error }
      let connection: Connection
      do throws(LogError) {
        connection = try self.connection(for: log, until: end)
      } catch {
        failure = (error, .now)
        throw error
      }
      return try body(connection)
    }

    func add(_ reader: AsyncStream<Void>.Continuation, of log: String) {
      wakeReaders(of: log)
      readers[log, default: []].append(reader)
    }

    private func connection(
      for log: String, until end: ContinuousClock.Instant
    ) throws(LogError) -> Connection {
      let connection = try usableConnection(until: end)
      if connection.logs.contains(log) { return connection }
      if listens { _ = try connection.query("LISTEN \"glue_\(log)\"") }
      _ = try connection.query(
        "INSERT INTO glue_logs (name) VALUES ($1) ON CONFLICT DO NOTHING", [.init(log)])
      connection.logs.insert(log)
      return connection
    }

    private func usableConnection(until end: ContinuousClock.Instant) throws(LogError) -> Connection
    {
      if let connection, !connection.isLost {
        connection.end = end
        return connection
      }
      connection = nil
      let new = try Connection(to: address, until: end)
      let state = try new.query(serverState).rows[0].map { $0?.text ?? "" }
      // A standby may lack entries, and takes none.
      if state[0] == "true" { throw .cut("PostgreSQL: this server is a standby.") }
      new.server = state[1]
      for statement in setUp { _ = try new.query(statement) }
      if state[2] == "off" {
        _ = try new.query("SET synchronous_commit = on")
        warn("synchronous_commit is off on this server, so it is on in these sessions.")
      }
      if listens {
        new.watch(on: executor.queue) { [weak self] in self?.assumeIsolated { $0.wakeReaders() } }
      }
      connection = new
      return new
    }

    /// Wakes the readers of logs that were notified; all of them if the connection is lost.
    private func wakeReaders() {
      let channels = connection?.notifications()?.map { String($0.dropFirst("glue_".count)) }
      for log in channels ?? Array(readers.keys) { wakeReaders(of: log) }
    }

    private func wakeReaders(of log: String) {
      readers[log]?.removeAll { if case .terminated = $0.yield() { true } else { false } }
    }
  }

  /// libpq's calls block, so they have a queue of their own.
  private final class QueueExecutor: SerialExecutor {
    let queue = DispatchQueue(label: "PostgreSQLLog")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
  }

  /// Whether the server is a standby, what identifies its data, and its durability.
  ///
  /// A standby that is promoted was started at another time than its primary, and a database that is
  /// made anew has another number.
  private let serverState = """
    SELECT pg_is_in_recovery()::text,
      concat_ws('.', (pg_control_system()).system_identifier,
        extract(epoch FROM pg_postmaster_start_time()),
        (SELECT oid FROM pg_database WHERE datname = current_database())),
      current_setting('synchronous_commit')
    """

  /// Two sessions can't create a table at once, so one waits for the other, but only if something is
  /// missing.
  private let setUp = [
    "SET idle_in_transaction_session_timeout = '10s'",
    "SET lock_timeout = '2s'",
    """
    DO $$ BEGIN
      IF to_regclass('glue_logs') IS NULL OR to_regclass('glue_entries') IS NULL
        OR to_regclass('glue_snapshots') IS NULL OR to_regclass('glue_slices') IS NULL THEN
        PERFORM pg_advisory_xact_lock(78141);
        CREATE TABLE IF NOT EXISTS glue_logs (
          name text PRIMARY KEY, id uuid NOT NULL DEFAULT gen_random_uuid(),
          last bigint NOT NULL DEFAULT 0);
        CREATE TABLE IF NOT EXISTS glue_entries (
          name text, position bigint, entry bytea NOT NULL, sender text, number bigint,
          PRIMARY KEY (name, position), UNIQUE (name, sender, number));
        CREATE TABLE IF NOT EXISTS glue_snapshots (
          name text PRIMARY KEY, position bigint NOT NULL, id text NOT NULL, slices bigint NOT NULL,
          before text);
        CREATE TABLE IF NOT EXISTS glue_slices (
          name text, position bigint NOT NULL, snapshot text, number bigint, bytes bytea NOT NULL,
          PRIMARY KEY (name, snapshot, number));
      END IF;
    END $$
    """,
  ]
#endif
