#if os(Linux)
  import CEpoll
  import Dispatch
  import Foundation
  import Glue
  import Observation

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

  struct WindowEvent { var isOfMainQueue: Bool }

  func runWithSDL(
    pushMainQueueEvent: @escaping @Sendable () -> Void, nextEvent: () -> WindowEvent?
  ) {
    let descriptor = MainQueue.fileDescriptor
    let isHandled = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while true {
        if poll(&watched, 1, -1) != 1 { continue }
        pushMainQueueEvent()
        isHandled.wait()
      }
    }

    while let event = nextEvent() {
      if event.isOfMainQueue {
        MainQueue.run()
        isHandled.signal()
      }
    }
  }

  private struct Label { var text = "" }
  @MainActor private var label = Label()

  private struct Drawing {
    struct Counter: Sendable { var value = 0 }

    @MainActor func draw(_ counter: ObservedStore<Counter>) {
      withObservationTracking {
        label.text = "Counter: \(counter.value)"
      } onChange: {
        Task { @MainActor in draw(counter) }
      }
    }
  }
#endif
