/// The requested subjects, and in each group those that they are compared with.
struct Selection {
  /// A group and those of its subjects that are measured.
  struct Part {
    let group: Group
    let subjects: [Subject]
  }

  /// The names of the requested subjects.
  let paths: [String]

  /// The requested subjects, without those that they are compared with.
  let subjects: [(path: String, subject: Subject)]

  let parts: [Part]

  /// - Throws: an error if a filter names no subject.
  init(of groups: [Group], by invocation: Invocation) throws(BadArguments) {
    let isAll = invocation.mode == .measure && invocation.filters.isEmpty
    let groups = groups.filter { !(isAll && $0.isOnDemand) }
    let all = groups.flatMap { group in group.subjects.map { group.path($0.name) } }
    for filter in invocation.filters where !all.contains(where: { $0.contains(filter) }) {
      throw BadArguments(message: "no subject has \(filter.debugDescription) in its name")
    }
    paths = all.filter { invocation.selects($0, among: all) }
    let wanted = Set(paths)
    subjects = groups.flatMap { group in
      group.subjects.map { (group.path($0.name), $0) }.filter { wanted.contains($0.0) }
    }
    parts = groups.compactMap { Part(of: $0, wanted: wanted) }
  }
}

extension Selection.Part {
  /// The wanted part of a group, if there is one.
  fileprivate init?(of group: Group, wanted: Set<String>) {
    let asked = group.subjects.filter { wanted.contains(group.path($0.name)) }
    let names = Set(asked.flatMap { group.names(neededFor: $0) })
    self.group = group
    subjects = group.subjects.filter { names.contains($0.name) }
    if subjects.isEmpty { return nil }
  }
}

extension Group {
  /// A subject's name, and the names of those that it is compared with.
  fileprivate func names(neededFor subject: Subject) -> [String] {
    [subject.name] + [subject.floor, budget(of: subject)?.bound?.reference].compactMap(\.self)
  }

  /// The budget of a subject of the group.
  func budget(of subject: Subject) -> Budget? {
    budgets.first { $0.path == path(subject.name) }
  }
}
