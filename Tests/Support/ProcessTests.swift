import Testing

/// The suites that run an executable, one test at a time.
///
/// Each waits for a process, and a process started by one test must not inherit what another has
/// open.
@Suite(.serialized) package enum ProcessTests {}
