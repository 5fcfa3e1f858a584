// Widgets follow a store for as long as they live.

import CGtk
import Glue

@MainActor extension Widget {
  /// Draws a value, now and whenever it changes.
  @discardableResult
  func shows<State, Value: Sendable & Equatable>(
    _ value: @escaping @Sendable (State) -> Value, of store: Store<State>,
    _ draw: @escaping @MainActor (Widget, Value) -> Void
  ) -> Widget {
    let subscription = store.subscribe(selector: value) { @MainActor in draw(self, $0) }
    g_object_set_data_full(
      cast(), "\(ObjectIdentifier(subscription))", Unmanaged.passRetained(subscription).toOpaque()
    ) { Unmanaged<Subscription>.fromOpaque($0!).release() }
    return self
  }

  /// Shows a text, in a label.
  @discardableResult
  func shows<State>(
    _ text: @escaping @Sendable (State) -> String, of store: Store<State>
  ) -> Widget {
    shows(text, of: store) { gtk_label_set_text($0.opaque, $1) }
  }

  /// Shows a row for each id, in a list box; a row stays while its id does.
  func rows<State, ID: Hashable & Sendable>(
    _ ids: @escaping @Sendable (State) -> [ID], of store: Store<State>,
    _ make: @escaping @MainActor (ID) -> Widget
  ) {
    var rows: [ID: Widget] = [:]
    shows(ids, of: store) { list, ids in
      for id in Set(rows.keys).subtracting(ids) {
        gtk_list_box_remove(list.opaque, rows.removeValue(forKey: id))
      }
      for (index, id) in ids.enumerated() where rows[id] == nil {
        rows[id] = make(id)
        gtk_list_box_insert(list.opaque, rows[id], Int32(index))
      }
    }
  }
}
