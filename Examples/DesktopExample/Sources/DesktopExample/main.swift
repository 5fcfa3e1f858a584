// A download manager: `swift run DesktopExample [FOLDER]`.

import CGtk
import Dispatch
import Downloads
import Foundation
import Glue
import GlueJournal

// GLib's loop runs the main queue, and so the main actor.
g_unix_fd_add_full(
  G_PRIORITY_HIGH_IDLE + 20, MainQueue.fileDescriptor, G_IO_IN,
  { _, _, _ in
    MainQueue.run()
    return 1
  }, nil, nil)

let folder = URL(filePath: CommandLine.arguments.dropFirst().first ?? "Downloads")
let store: Store<Downloads>
do {
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  // Another thread delivers, so the window never waits for the disk.
  store = try Store(
    state: Downloads(), reducer: downloads, lasting: lasting,
    delivery: .queue(DispatchQueue(label: "downloads")),
    journal: Journal(
      at: folder.appending(path: ".journal").path, format, durability: .interval(.seconds(1)))
  ) { handlers in
    handlers.add(effectHandler: Fetching(into: folder))
    handlers.on(Sweep.self) { sweep, _ async in await sweep.run(in: folder) }
  }
} catch {
  FileHandle.standardError.write(Data("DesktopExample: \(error)\n".utf8))
  exit(1)
}

let app = gtk_application_new("org.example.Downloads", G_APPLICATION_NON_UNIQUE)!
on(app.opaque, "activate") { openWindow(of: app, store) }
exit(g_application_run(app.cast(), 0, nil))
