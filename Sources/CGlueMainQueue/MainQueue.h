// What libdispatch offers to another event loop. Foundation's RunLoop calls the same two functions.

#include <sys/syscall.h>
#include <unistd.h>

/// The eventfd that is readable while the main queue has something to run.
int _dispatch_get_main_queue_port_4CF(void);

/// Runs what the main queue holds; within such a body, it does nothing.
void _dispatch_main_queue_callback_4CF(void *_Nullable unused);

/// Whether the caller is the thread that the process began with.
///
/// Older C libraries declare no gettid(), and Swift can't call syscall(), which is variadic.
static inline int isMainThread(void) { return syscall(SYS_gettid) == getpid(); }
