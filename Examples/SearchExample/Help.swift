let usage = """
  Usage: SearchExample [--] [DIRECTORY]
         SearchExample --inspect FILE [--] [DIRECTORY]
         SearchExample --plain [--] PATTERN [DIRECTORY]
         SearchExample -h | --help
  """

let help = """
  \(usage)

  Searches the contents of the files below a directory, which is the working directory if
  none is given, for fixed text. Binary files, which have a NUL, and what is called .git
  are skipped. Links are not followed, except to DIRECTORY itself. After -- nothing is an
  option.

  If standard input and output are both a terminal, and not dumb, it searches as you type:
    Up, Down            select a match; Page Up, Page Down, Home and End too
    Enter               open the file at that line in $EDITOR, else $PAGER, else less
    Backspace           erase a character
    Escape, Ctrl-U      clear
    Ctrl-C              quit
    Ctrl-Z              stop, until fg
  The first 10,000 matches are kept, the others counted. NO_COLOR is heeded. With
  --inspect it writes a page to FILE when it ends, which shows in a browser what was
  typed, searched and found, and when.

  Otherwise, and with --plain, it prints each line found as path:line:text, as it finds
  them. Without --plain, PATTERN is the first line of standard input. To a terminal, text
  and paths are printed without what could steer it, else as they are. The file to which
  standard output goes is not searched, which is an error.

  Exit status:
    0    a line was found
    1    none was found
    2    something went wrong, even if lines were found: a file could not be read,
         the output could not be written, or the arguments are not understood
  """
