// The C library's search in memory, which Swift does not see: glibc declares it as an extension.
#include <stddef.h>

void *memmem(const void *text, size_t text_size, const void *pattern, size_t pattern_size);
