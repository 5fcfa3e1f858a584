#if os(Linux)
  import CEpoll
  import Foundation
  import Glue

  // The code of the article, word for word but for its indentation; `ArticleTests` compares them.
  // It is compiled only, because tests don't run on the main thread: `MainQueueProgram` runs such
  // loops, and `Examples/DesktopExample` has the article's code for GLib and GTK.

  func runWithEpoll(_ queue: Int32) {
    var event = epoll_event()
    event.events = EPOLLIN.rawValue
    event.data.fd = MainQueue.fileDescriptor
    epoll_ctl(queue, EPOLL_CTL_ADD, event.data.fd, &event)

    while epoll_wait(queue, &event, 1, -1) >= 0 || errno == EINTR {
      if event.data.fd == MainQueue.fileDescriptor { MainQueue.run() }
    }
  }
#endif
