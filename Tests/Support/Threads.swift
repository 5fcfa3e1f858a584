package import Testing

extension Tag {
  /// Several threads use the library at once: `.ci/run` repeats these tests under the thread
  /// sanitizer.
  @Tag package static var threads: Tag
}
