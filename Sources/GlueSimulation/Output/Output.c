// What the Swift runtime prints before a trap, which only the C library's stderr shows. Swift can't
// replace that, nor declare glibc's streams with functions of their own.

#define _GNU_SOURCE
#include "Output.h"
#include <stdio.h>
#include <sys/types.h>

#if defined(__GLIBC__)
static FILE *original, *stream;
static glue_writing writing;

static ssize_t write_bytes(void *cookie, const char *bytes, size_t count) {
  writing(bytes, count);
  return count;
}

int glue_capture_errors(glue_writing function) {
  writing = function;
  if (!stream) {
    cookie_io_functions_t functions = {.write = write_bytes};
    stream = fopencookie(NULL, "w", functions);
    if (!stream) return 0;
    setvbuf(stream, NULL, _IONBF, 0);
    original = stderr;
  }
  stderr = stream;
  return 1;
}

void glue_release_errors(void) {
  if (original) stderr = original;
}
#else
int glue_capture_errors(glue_writing function) { return 0; }

void glue_release_errors(void) {}
#endif
