package import Glue

/// A place for the files of a journal, and for everything else that it takes from the system.
///
/// A program uses ``system``. A simulation gives it another disk at each start, whose time, files and
/// failures the simulation's seed decides.
public struct Disk: Sendable {
  /// The disk of the system that the program runs on.
  public static let system = Disk(files: systemFiles)

  package let files: any SystemFiles

  package init(files: any SystemFiles) { self.files = files }
}

/// Is called with the path before a journal uses the system's disk; a simulation refuses that.
package let systemDiskWatch = Locked<(@Sendable (_ path: String) -> Void)?>(nil)
