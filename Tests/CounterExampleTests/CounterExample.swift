import ProcessSupport

/// The program under test.
let counterExample = builtProgram("CounterExample")
