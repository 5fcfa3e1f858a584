// Counts heap allocations by taking the place of malloc and its kin in the program that links this.
//
// It is C because Swift reserves the name malloc. While nothing is counted an allocation costs one
// load and one branch more. The thread sanitizer takes the same place, so no test links this.

#include "AllocationCounter.h"

#include <stdatomic.h>
#include <stddef.h>

static atomic_bool isCounting;
static atomic_long count;

void beginCountingAllocations(void) {
  atomic_store(&count, 0);
  atomic_store(&isCounting, 1);
}

long endCountingAllocations(void) {
  atomic_store(&isCounting, 0);
  return atomic_load(&count);
}

#ifdef __GLIBC__

#include <errno.h>

int allocationsAreCountable(void) { return 1; }

static void note(void) {
  if (atomic_load_explicit(&isCounting, memory_order_relaxed))
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

// glibc's own allocator, under the names that it keeps for such programs.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
  note();
  return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  note();
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}

#else

int allocationsAreCountable(void) { return 0; }

#endif
