import Testing

/// The suites that run the executable, one test at a time: each waits for a process, and a process
/// started by one test must not inherit what another has open.
@Suite(.serialized) enum ProcessTests {}
