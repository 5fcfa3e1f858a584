// Stack of screens: pages that open pages, and close themselves.
//
// A stack is an array of screens that are `Identifiable`. The id is a number, because one page may
// be open twice. A page asks its parent by an intent of its own to open another page, or to be
// closed. A page's request lasts while the page has no text, so it ends with the page, however
// that is closed.

import Glue
import GlueConsole

struct Page: Equatable, Sendable, Identifiable {
  let id: Int
  let title: String
  var text: String?
}

enum PageIntent: Intent, Equatable { case loaded(String), open(String), close }

func page(state: inout Page, intent: PageIntent) -> [any Effect] {
  switch intent {
  case .loaded(let text): state.text = text
  case .open, .close: break  // the stack's
  }
  return []
}

struct LoadPage: Effect, Equatable { var title: String }

func loading(page: Page) -> [LastingEffect] {
  page.text == nil ? [LoadPage(title: page.title).lasting(id: "load")] : []
}

struct Pages: Equatable, Sendable {
  var stack = [Page(id: 1, title: "Swift")]
  var lastID = 1
}

enum PagesIntent: Intent { case closeAll }

func pages(state: inout Pages, intent: PagesIntent) -> [any Effect] {
  switch intent {
  case .closeAll: state.stack.removeSubrange(1...)
  }
  return []
}

func navigating(state: inout Pages, intent: ElementIntent<Page.ID>) -> [any Effect] {
  switch intent.intent(as: PageIntent.self) {
  case .open(let title):
    state.lastID += 1
    state.stack.append(Page(id: state.lastID, title: title))
  case .close: state.stack.removeAll { $0.id == intent.id && $0.id != 1 }
  case .loaded, nil: break
  }
  return []
}

let pagesFeature: Reducer<Pages> = combineReducers {
  forEach(\.stack, use: page)
  navigating
  pages
}

struct PageLoading: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: LoadPage, dispatch: @escaping DispatchFunc) async {
    guard (try? await clock.sleep(for: .seconds(1))) != nil else { return }
    dispatch(PageIntent.loaded("All about \(effect.title)"))
  }
}

let stackStudy = Study(
  "stack-of-screens", "pages that open pages, and close themselves",
  keys: "b s: open Birds, Swift   c: close   r: return to the first",
  store: {
    Store(
      state: Pages(), reducer: pagesFeature, lasting: { lastingEach($0.stack, loading) },
      handlers: { handlers in
        handlers.add(effectHandler: PageLoading(clock: ContinuousClock()))
      })
  },
  draw: { $0.stack.map { "\($0.id) \($0.title): \($0.text ?? "…")" } },
  press: { key, state in
    let top = state.stack.last?.id ?? 1
    return switch key {
    case .text("b"): ElementIntent(id: top, intent: PageIntent.open("Birds"))
    case .text("s"): ElementIntent(id: top, intent: PageIntent.open("Swift"))
    case .text("c"): ElementIntent(id: top, intent: PageIntent.close)
    case .text("r"): PagesIntent.closeAll
    default: nil
    }
  })
