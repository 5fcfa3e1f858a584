#include <glib-unix.h>
#include <gtk/gtk.h>

// GTK's own function is variadic, so Swift can't call it.
static inline void gtk_widget_set_accessible_name(GtkWidget *widget, const char *name) {
  gtk_accessible_update_property(
      GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}
