/// How far something was written.
struct Progress: Sendable {
  let log: File?
  let record: Int
  let commit: Int
}
