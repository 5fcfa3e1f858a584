// What a simulated step gets from the C library in place of the system: standard error, the time,
// chance, sleep and the end of the process.
//
// Swift can't replace these functions, nor declare glibc's streams with functions of their own. The
// definitions here win over glibc's, also for the libraries that the program has loaded. They act in
// simulated steps alone, and call glibc's otherwise.

#define _GNU_SOURCE
#include "Output.h"
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

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

#if defined(__GLIBC__)
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

// The functions also run before the thread sanitizer does.
#define REPLACEMENT __attribute__((disable_sanitizer_instrumentation))

// Glibc's own function of a name, in a pointer of the same type as the replacement.
#define ORIGINAL(name)                                             \
  static _Atomic(void *) found;                                    \
  if (!found) found = dlsym(RTLD_NEXT, #name);                     \
  __typeof__(&name) original_##name = (__typeof__(&name))found

static __thread int is_inside;
static struct glue_system replaced;
static atomic_int simulations;

int glue_replace_system(struct glue_system functions) {
  replaced = functions;
  return 1;
}

void glue_set_inside(int value) { is_inside = value; }

void glue_add_simulations(int count) { simulations += count; }

REPLACEMENT int clock_gettime(clockid_t clock, struct timespec *time) {
  ORIGINAL(clock_gettime);
  int64_t start, error = 0;
  switch (is_inside ? clock : CLOCK_THREAD_CPUTIME_ID) {
  case CLOCK_REALTIME:
  case CLOCK_REALTIME_COARSE:
    start = glue_epoch;
    error = replaced.clock_error();
    break;
  case CLOCK_MONOTONIC:
  case CLOCK_MONOTONIC_RAW:
  case CLOCK_MONOTONIC_COARSE:
  case CLOCK_BOOTTIME:
    start = 1000;
    break;
  default: return original_clock_gettime(clock, time);
  }
  int64_t now = start * 1000000000 + replaced.now() + error;
  time->tv_sec = now / 1000000000;
  time->tv_nsec = now % 1000000000;
  return 0;
}

REPLACEMENT int gettimeofday(struct timeval *time, void *zone) {
  ORIGINAL(gettimeofday);
  if (!is_inside) return original_gettimeofday(time, zone);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

REPLACEMENT time_t time(time_t *result) {
  ORIGINAL(time);
  if (!is_inside) return original_time(result);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

REPLACEMENT int nanosleep(const struct timespec *time, struct timespec *rest) {
  ORIGINAL(nanosleep);
  if (!is_inside) return original_nanosleep(time, rest);
  replaced.pass(time->tv_sec * 1000000000 + time->tv_nsec);
  return 0;
}

REPLACEMENT int usleep(useconds_t time) {
  ORIGINAL(usleep);
  if (!is_inside) return original_usleep(time);
  replaced.pass((int64_t)time * 1000);
  return 0;
}

REPLACEMENT unsigned sleep(unsigned seconds) {
  ORIGINAL(sleep);
  if (!is_inside) return original_sleep(seconds);
  replaced.pass((int64_t)seconds * 1000000000);
  return 0;
}

static void fill(void *bytes, size_t count) {
  for (size_t start = 0; start < count; start += 8) {
    uint64_t number = replaced.number();
    memcpy((char *)bytes + start, &number, count - start < 8 ? count - start : 8);
  }
}

REPLACEMENT ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  ORIGINAL(getrandom);
  if (!is_inside) return original_getrandom(bytes, count, flags);
  fill(bytes, count);
  return count;
}

REPLACEMENT int getentropy(void *bytes, size_t count) {
  ORIGINAL(getentropy);
  if (!is_inside) return original_getentropy(bytes, count);
  fill(bytes, count);
  return 0;
}

// Swift's random numbers come from here. A call has up to six arguments, all in registers.
REPLACEMENT long syscall(long call, ...) {
  ORIGINAL(syscall);
  va_list list;
  va_start(list, call);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
  long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (call != SYS_getrandom || !is_inside) return original_syscall(call, a, b, c, d, e, f);
  fill((void *)a, b);
  return b;
}

// Foundation's UUIDs read the device. Here it is a file of a page of numbers.
static int open_random(void) {
  char bytes[4096];
  fill(bytes, sizeof bytes);
  int file = memfd_create("random", MFD_CLOEXEC);
  if (file >= 0 && pwrite(file, bytes, sizeof bytes, 0) < 0) abort();
  return file;
}

REPLACEMENT int open(const char *path, int flags, ...) {
  ORIGINAL(open);
  if (is_inside && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random")))
    return open_random();
  va_list list;
  va_start(list, flags);
  mode_t mode = va_arg(list, mode_t);
  va_end(list);
  return original_open(path, flags, mode);
}

// The status with which the process may end: not as if all were well while a simulation runs.
static int ending(int status) {
  if (is_inside) replaced.exit(status);
  if (simulations == 0) return status;
  static const char message[] =
      "Glue: exit was called by a thread outside while a simulation ran, so the tests fail.\n";
  if (write(2, message, sizeof message - 1) < 0) return 1;
  return status ? status : 1;
}

REPLACEMENT void exit(int status) {
  ORIGINAL(exit);
  original_exit(ending(status));
  __builtin_unreachable();
}

REPLACEMENT void _exit(int status) {
  ORIGINAL(_exit);
  original__exit(ending(status));
  __builtin_unreachable();
}

REPLACEMENT void _Exit(int status) { _exit(status); }

int glue_pipe(int files[2]) { return pipe2(files, O_CLOEXEC); }

void glue_leave(int status) {
  simulations = 0;
  is_inside = 0;
  fflush(NULL);
  _exit(status);
}
#else
int glue_replace_system(struct glue_system functions) { return 0; }
void glue_set_inside(int value) {}
void glue_add_simulations(int count) {}
int glue_pipe(int files[2]) { return pipe(files); }
void glue_leave(int status) { _exit(status); }
#endif
