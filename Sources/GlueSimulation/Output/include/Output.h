#include <stddef.h>

typedef void (*glue_writing)(const char *bytes, size_t count);

// Lets a function have what the C library's stderr gets; returns whether it does.
int glue_capture_errors(glue_writing function);

// Lets stderr have that again.
void glue_release_errors(void);
