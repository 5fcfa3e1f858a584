// GTK without casts.

import CGtk

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer {
  var opaque: OpaquePointer { OpaquePointer(self) }
  func cast<T>(_ type: T.Type = T.self) -> UnsafeMutablePointer<T> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
  }
}

private final class Action {
  let run: @MainActor () -> Void
  init(_ run: @escaping @MainActor () -> Void) { self.run = run }
}

/// Calls a closure at a signal, and answers, where the signal asks, that it has been handled.
func on(_ object: OpaquePointer, _ signal: String, _ run: @escaping @MainActor () -> Void) {
  // Swapped, the closure is the first argument of every signal.
  let handler: @convention(c) (gpointer?) -> gboolean = { data in
    let run = Unmanaged<Action>.fromOpaque(data!).takeUnretainedValue().run
    MainActor.assumeIsolated { run() }
    return 1
  }
  g_signal_connect_data(
    UnsafeMutableRawPointer(object), signal, unsafeBitCast(handler, to: GCallback.self),
    Unmanaged.passRetained(Action(run)).toOpaque(),
    { data, _ in Unmanaged<Action>.fromOpaque(data!).release() }, G_CONNECT_SWAPPED)
}

@MainActor func box(_ spacing: Int32, isVertical: Bool = true, _ children: Widget...) -> Widget {
  let orientation = isVertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL
  let box = gtk_box_new(orientation, spacing)!
  for child in children { gtk_box_append(box.cast(), child) }
  return box
}

@MainActor func label(_ classes: String..., text: String = "", align: Float = 0) -> Widget {
  let label = gtk_label_new(text)!
  gtk_label_set_xalign(label.opaque, align)
  gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_MIDDLE)
  for name in classes { gtk_widget_add_css_class(label, name) }
  return label
}

/// A button with an icon and a name, which is its tooltip and what a screen reader says.
@MainActor func button(icon: String, _ name: String) -> Widget {
  let button = gtk_button_new_from_icon_name("\(icon)-symbolic")!
  gtk_widget_set_tooltip_text(button, name)
  gtk_widget_set_accessible_name(button, name)
  return button
}
