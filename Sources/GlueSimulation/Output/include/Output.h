#include <stddef.h>
#include <stdint.h>

typedef void (*glue_writing)(const char *bytes, size_t count);

// Replaces what the C library writes standard error with, for all threads, by a function; returns
// whether that is possible. It isn't where stderr is a constant, as in musl.
int glue_capture_errors(glue_writing function);

// Lets stderr have that again.
void glue_release_errors(void);

// The seconds from 1970 to the beginning of a simulation.
enum { glue_epoch = 1700000000 };

// What simulated steps get in place of the system's. Times are in nanoseconds; the wall clock's has
// an error.
struct glue_system {
  int64_t (*now)(void);
  int64_t (*clock_error)(void);
  void (*pass)(int64_t time);
  uint64_t (*number)(void);
  void (*exit)(int status);
};

// Sets the functions; returns 0 where the C library's can't be replaced.
int glue_replace_system(struct glue_system functions);

// Sets whether the calling thread runs a simulated step.
void glue_set_inside(int value);

// Counts the simulations that run.
void glue_add_simulations(int count);

// Makes a pipe that other programs don't inherit.
int glue_pipe(int files[2]);

// Ends the process, whether or not a simulation runs.
void glue_leave(int status) __attribute__((noreturn));
