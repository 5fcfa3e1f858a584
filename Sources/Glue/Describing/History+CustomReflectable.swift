extension History: CustomReflectable {
  /// The present, and how many steps there are: a log tells of these, not of all states.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["present": present, "undoCount": undoCount, "redoCount": redoCount],
      displayStyle: .struct)
  }
}
