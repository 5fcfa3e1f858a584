/// Stops the program: a journal cannot write any more (J6).
func stopForFailure(_ failure: JournalFailure) -> Never {
  fatalError(
    """
    Glue: the journal cannot be written: \(failure). The program ends, for what is not as safe \
    as the journal's durability says must not be told to the world, and was not. Mend the disk, and \
    start again.
    """)
}

/// Stops the program: a journal was given to a second store.
func stopForSecondStore(_ path: String) -> Never {
  fatalError(
    """
    Glue: the journal \(path) was given to a second store. It holds the commits of one.
      Wrong: let a = try Store(…, journal: journal); let b = try Store(…, journal: journal)
      Right: a Journal, with a directory of its own, for each store
    """)
}
