/// Stops the program: a journal cannot write any more (J6).
func stopForFailure(_ failure: JournalFailure) -> Never {
  let cure =
    failure.isOfDisk ? "Mend the disk" : "Change the program so that all it records encodes"
  fatalError(
    """
    Glue: the journal cannot be written: \(failure). The program stops, because the world must not \
    hear of a commit that is not as safe as the journal's durability says. \(cure), and start again.
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
