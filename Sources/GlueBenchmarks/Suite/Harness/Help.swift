let help = """
  Usage: GlueBenchmarks [--filter NAME]… [--json FILE]
         GlueBenchmarks [--filter NAME]… --repeat COUNT
         GlueBenchmarks [--filter NAME]… --list
         GlueBenchmarks --help

  Measures the cost of Glue's operations, each in turns with its floor, the least code that
  could do the same. Prints a table: the median of the rounds and their quartiles, the floor's
  median, the ratio, heap allocations for each operation, and whether the budget is met. Run it
  optimized, on an idle machine: swift run -c release GlueBenchmarks

  The subjects named growth/… do one operation at several sizes. They are measured only if
  a filter names them: .ci/costs counts their instructions.

    --filter NAME    only the subject of this name or, if there is none, those whose names
                     contain it, and the subjects that they are compared with
    --json FILE      also write the report to this file, as JSON
    --repeat COUNT   run this many operations of each subject, untimed, for profilers; print
                     name, tab, heap allocations for each ("-" if they can't be counted)
    --list           print the names of the subjects
    -h, --help       print this

  To measure the start of CounterExample, it builds it with -static-stdlib in a temporary
  directory, if it runs in the package's directory.

  Exit status:
    0    success, even if budgets are not met
    1    an operation did not do its work, or the report can't be written
    2    wrong arguments
  """
