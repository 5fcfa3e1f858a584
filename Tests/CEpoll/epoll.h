// Swift's module of the C library leaves epoll out.
#include <sys/epoll.h>
