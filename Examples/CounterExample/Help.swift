/// The line of keys that stays on the terminal.
let keyHelp = "+, up, k: increment   -, down, j: decrement   q: quit"

/// The commands, for a line that is not one.
let expected = "expected +, -, increment, decrement or q"

let usage = "Usage: CounterExample [--journal DIRECTORY | -h | --help]"

let help = """
  \(usage)

  Counts, never below 0, and writes the bell character (U+0007) at each multiple of 5
  that an increment reaches.

    --journal DIRECTORY   go on from what is recorded there, however that ended

  If standard input and output are both a terminal, and not a dumb one, single keys count:
    +, up, k            increment
    -, down, j          decrement
    q, Ctrl-C, Ctrl-D   quit
    Ctrl-Z              stop, until fg
  The terminal is restored whatever ends the program: a key, SIGINT, SIGTERM, SIGHUP or
  SIGQUIT. A signal still counts as what ended it.

  Otherwise each line of input is a command:
    +, increment
    -, decrement
    q                   quit
  An increment or decrement is answered at once with the line "Counter: N". Empty lines
  are skipped. A line that is no command is reported on standard error, with its number
  and what was expected, and skipped. Blanks around a command do not matter.

  Exit status:
    0    all went well, or nobody reads the output any more
    1    a line was no command, input or output failed, or the journal cannot be used
    64   unknown arguments
  """
