/// The line of keys that stays on the terminal.
let keyHelp = "+, up, k: increment   -, down, j: decrement   q: quit"

/// The commands, for a line that is not one.
let expected = "expected +, -, increment, decrement or q"

let usage = "Usage: CounterExample [--journal DIRECTORY | -h | --help]"

let help = """
  \(usage)

  Counts, never below 0, and writes the bell character (U+0007) when an increment reaches
  a multiple of 5.

    --journal DIRECTORY   record there, and continue from the last record

  If standard input and output are both a terminal, and not a dumb one, it reads keys:
    +, up, k            increment
    -, down, j          decrement
    q, Ctrl-C, Ctrl-D   quit
    Ctrl-Z              stop, until fg
  The terminal is restored however the program ends: by a key, SIGINT, SIGTERM, SIGHUP or
  SIGQUIT. After a signal, the exit status is that of the signal. SIGKILL leaves it without
  echo: the next run restores it, and so does the command stty sane.

  Otherwise, each line of input is a command:
    +, increment
    -, decrement
    q                   quit
  Each increment and decrement prints the line "Counter: N" at once. Empty lines, and
  blanks around a command, are ignored. A wrong line is reported on standard error, with
  its number and the commands, and skipped.

  Exit status:
    0    success, or the output's reader has closed it
    1    a line was not a command, input or output failed, or the journal can't be used
    64   unknown arguments
  """
