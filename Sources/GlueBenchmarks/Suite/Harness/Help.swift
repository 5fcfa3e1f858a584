let help = """
  Usage: GlueBenchmarks [--filter NAME]… [--json FILE]
         GlueBenchmarks [--filter NAME]… --repeat COUNT
         GlueBenchmarks [--filter NAME]… --list
         GlueBenchmarks --help

  Measures what Glue's operations cost, each in turns with its floor, which does no more than
  is inevitable, and prints a table: the median of the rounds and their quartiles, the floor's
  median, how many times the floor, heap allocations an operation, and whether the budget is
  met. Run it optimized, on an idle machine: swift run -c release GlueBenchmarks

    --filter NAME    only the subject of this name or, if there is none, those that have it in
                     theirs; the times that they are compared with are measured too
    --json FILE      write the report to this file as well, as JSON
    --repeat COUNT   do so many operations of each subject, untimed, for profilers; print
                     name, tab, heap allocations an operation ("-" if they cannot be counted)
    --list           print the names of the subjects
    -h, --help       print this

  For the start-up of CounterExample it builds that with -static-stdlib, in a temporary
  directory, if it is run in the package's directory.

  Exit status:
    0    all went well, whether or not the budgets are met
    1    an operation did not do its work, or the report could not be written
    2    wrong arguments
  """
