let usage = """
  Usage: SearchExample [--] [DIRECTORY]
         SearchExample --inspect FILE [--] [DIRECTORY]
         SearchExample --plain [--] PATTERN [DIRECTORY]
         SearchExample -h | --help
  """

let help = """
  \(usage)

  Searches the files below DIRECTORY, by default the working directory, for fixed text.
  It skips binary files, which have a NUL, and files and directories named .git. It
  follows no links, except DIRECTORY itself. After --, nothing is an option.

  If standard input and output are both a terminal, and not dumb, it searches as you type:
    Up, Down            select a match; Page Up, Page Down, Home and End too
    Enter               open the file at that line in $EDITOR, else $PAGER, else less
    Backspace           erase a character
    Escape, Ctrl-U      clear
    Ctrl-C              quit
    Ctrl-Z              stop, until fg
  It keeps the first 10,000 matches, and counts the others. It respects NO_COLOR. With
  --inspect, it writes a page to FILE when it ends, which shows in a browser what was
  typed, searched and found, and when.

  Otherwise, and with --plain, it prints each matching line at once, as path:line:text.
  Without --plain, PATTERN is the first line of standard input. To a terminal, it prints
  no control characters. The file to which standard output goes is not searched, which
  is an error.

  Exit status:
    0    a line was found
    1    no line was found
    2    an error, even if lines were found: a file can't be read, the output can't be
         written, or the arguments are wrong
  """
