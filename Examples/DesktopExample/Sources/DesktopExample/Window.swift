import CGtk
import Downloads
import Foundation
import Glue

@MainActor
func openWindow(of app: UnsafeMutablePointer<GtkApplication>, _ store: Store<Downloads>) {
  let window = gtk_application_window_new(app)!
  gtk_window_set_title(window.cast(), "Downloads")
  gtk_window_set_default_size(window.cast(), 560, 520)

  let keys = gtk_shortcut_controller_new()!
  gtk_widget_add_controller(window, keys)
  let entry = gtk_entry_new()!
  gtk_widget_set_hexpand(entry, 1)
  gtk_entry_set_placeholder_text(entry.cast(), "Address of a file")
  gtk_widget_set_accessible_name(entry, "Address of a file")
  on(entry.opaque, "activate") {
    let text = String(cString: gtk_editable_get_text(entry.opaque))
    store.dispatch(AddIntent.add(UUID(), text))
    if store.state.notice == nil { gtk_editable_set_text(entry.opaque, "") }
  }
  gtk_window_set_titlebar(window.cast(), header())
  let search = gtk_search_entry_new()!
  gtk_widget_set_accessible_name(search, "Filter")
  gtk_editable_set_text(search.opaque, store.state.filter)
  on(search.opaque, "changed") {
    store.dispatch(FilterIntent.type(String(cString: gtk_editable_get_text(search.opaque))))
  }
  on(search.opaque, "stop-search") { gtk_editable_set_text(search.opaque, "") }
  search.shows(\.list.present.isEmpty, of: store) { gtk_widget_set_visible($0, $1 ? 0 : 1) }
  action("Focus", "<Control>l") { gtk_widget_grab_focus(entry) }
  action("Filter", "<Control>f") { gtk_widget_grab_focus(search) }

  let list = gtk_list_box_new()!
  gtk_list_box_set_selection_mode(list.opaque, GTK_SELECTION_NONE)
  for name in ["boxed-list", "rich-list"] { gtk_widget_add_css_class(list, name) }
  gtk_widget_set_valign(list, GTK_ALIGN_START)
  gtk_widget_set_accessible_name(list, "Downloads")
  list.rows(\.shown, of: store) { row($0, store) }
  let (pages, scrolled) = (gtk_stack_new()!, gtk_scrolled_window_new()!)
  gtk_scrolled_window_set_child(scrolled.opaque, list)
  gtk_widget_set_vexpand(scrolled, 1)
  gtk_stack_add_named(pages.opaque, scrolled, "list")
  for (name, icon, heading, advice) in [
    ("empty", "folder-download", "No Downloads", "Enter the address of a file, and press Return."),
    ("none", "edit-find", "Nothing Found", "No download has such a name."),
  ] { gtk_stack_add_named(pages.opaque, emptyPage(icon, heading, advice), name) }
  pages.shows({ $0.list.present.isEmpty ? 0 : $0.shown.isEmpty ? 1 : 2 }, of: store) {
    gtk_stack_set_visible_child_name($0.opaque, ["empty", "none", "list"][$1])
  }
  let notice = label()
  notice.shows({ $0.notice ?? "" }, of: store) {
    gtk_label_set_text($0.opaque, $1)
    gtk_widget_set_visible($0, $1.isEmpty ? 0 : 1)
  }
  let content = box(12, entry, notice, search, pages)
  for set in [
    gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
    gtk_widget_set_margin_end,
  ] { set(content, 18) }
  gtk_window_set_child(window.cast(), content)
  gtk_window_present(window.cast())

  // The loop runs until everything is delivered and recorded; then the last window's end ends it.
  var isEnding = false
  on(window.opaque, "close-request") {
    if isEnding { return }
    isEnding = true
    gtk_widget_set_visible(window, 0)
    Task {
      await store.shutdown()
      gtk_window_destroy(window.cast())
    }
  }

  for signal in [SIGINT, SIGTERM, SIGHUP] {
    g_unix_signal_add(
      signal,
      { window in
        gtk_window_close(window?.assumingMemoryBound(to: GtkWindow.self))
        return 1
      }, window)
  }

  func header() -> Widget {
    let header = gtk_header_bar_new()!
    let subtitle = label("caption", "dim-label", align: 0.5)
    subtitle.shows({ "\($0.running.count) running, \($0.finished.count) finished" }, of: store)
    let titles = box(0, label("title", text: "Downloads", align: 0.5), subtitle)
    gtk_widget_set_valign(titles, GTK_ALIGN_CENTER)
    gtk_header_bar_set_title_widget(header.opaque, titles)
    let undo = command("Undo", "edit-undo", "<Control>z", HistoryIntent.undo) {
      $0.list.undoCount > 0
    }
    let redo = command("Redo", "edit-redo", "<Control><Shift>z", HistoryIntent.redo) {
      $0.list.redoCount > 0
    }
    let clear = command(
      "Remove Finished", "edit-clear-all", "<Control><Shift>Delete",
      ListIntent.remove(store.state.finished)
    ) { !$0.finished.isEmpty }
    for button in [undo, redo] { gtk_header_bar_pack_start(header.opaque, button) }
    gtk_header_bar_pack_end(header.opaque, clear)
    return header
  }

  /// A button and a key that dispatch an intent, enabled while it is possible.
  func command(
    _ name: String, _ icon: String, _ key: String,
    _ intent: @autoclosure @escaping () -> any Intent,
    isPossible: @escaping @Sendable (Downloads) -> Bool
  ) -> Widget {
    let button = button(icon: icon, name)
    let id = name.filter(\.isLetter)
    let action = action(id, key) { store.dispatch(intent()) }
    gtk_actionable_set_action_name(button.opaque, "win.\(id)")
    return button.shows(isPossible, of: store) { _, isPossible in
      g_simple_action_set_enabled(action, isPossible ? 1 : 0)
    }
  }

  /// An action and its key, which the focused widget gets first: an entry undoes typing.
  @discardableResult
  func action(_ name: String, _ key: String, _ run: @escaping @MainActor () -> Void)
    -> OpaquePointer
  {
    let action = g_simple_action_new(name, nil)!
    on(action, "activate", run)
    g_action_map_add_action(window.opaque, action)
    gtk_shortcut_controller_add_shortcut(
      keys,
      gtk_shortcut_new(
        gtk_shortcut_trigger_parse_string(key), gtk_named_action_new("win.\(name)")))
    return action
  }
}

@MainActor private func emptyPage(_ icon: String, _ heading: String, _ advice: String) -> Widget {
  let image = gtk_image_new_from_icon_name("\(icon)-symbolic")!
  gtk_image_set_pixel_size(image.opaque, 96)
  gtk_widget_add_css_class(image, "dim-label")
  let page = box(
    12, image, label("title-2", text: heading, align: 0.5),
    label("dim-label", text: advice, align: 0.5))
  gtk_widget_set_valign(page, GTK_ALIGN_CENTER)
  return page
}

@MainActor private func row(_ id: UUID, _ store: Store<Downloads>) -> Widget {
  let bar = gtk_progress_bar_new()!
  gtk_widget_set_accessible_name(bar, "Progress")
  bar.shows({ $0.items[id]?.fraction ?? 0 }, of: store) {
    gtk_progress_bar_set_fraction($0.opaque, $1)
  }
  let title = label("heading").shows({ $0.items[id]?.name ?? "" }, of: store)
  let status = label("caption", "dim-label").shows(
    { state in state.items[id].map { describe($0, runs: state.running.contains(id)) } ?? "" },
    of: store)
  let (toggle, remove) = (button(icon: "", ""), button(icon: "list-remove", "Remove"))
  toggle.shows({ $0.items[id]?.phase ?? .done }, of: store) { button, phase in
    let name = phase == .wanted ? "Pause" : "Start"
    gtk_button_set_icon_name(button.cast(), "media-playback-\(name.lowercased())-symbolic")
    gtk_widget_set_tooltip_text(button, name)
    gtk_widget_set_accessible_name(button, name)
    for widget in [button, bar] { gtk_widget_set_visible(widget, phase == .done ? 0 : 1) }
  }
  on(toggle.opaque, "clicked") {
    let intent = store.state.items[id]?.phase == .wanted ? DownloadIntent.pause : .start
    store.dispatch(ElementIntent(id: id, intent: intent))
  }
  on(remove.opaque, "clicked") { store.dispatch(ListIntent.remove([id])) }
  for button in [toggle, remove] {
    gtk_widget_add_css_class(button, "flat")
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
  }
  let texts = box(6, title, bar, status)
  gtk_widget_set_hexpand(texts, 1)
  let row = gtk_list_box_row_new()!
  gtk_list_box_row_set_activatable(row.cast(), 0)
  gtk_list_box_row_set_child(row.cast(), box(6, isVertical: false, texts, toggle, remove))
  return row
}

private func describe(_ item: Download, runs: Bool) -> String {
  let size = item.received.formatted(.byteCount(style: .file))
  let sizes = item.total.map { "\(size) of \($0.formatted(.byteCount(style: .file)))" } ?? size
  return switch item.phase {
  case .wanted: runs ? sizes : "Waiting"
  case .paused: "Paused – \(sizes)"
  case .done: "Finished – \(size)"
  case .failed(let reason): reason
  }
}
