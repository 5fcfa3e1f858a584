// The NATS client for C, as Debian's libnats-dev installs it.
#if __has_include(<nats/nats.h>)
#include <nats/nats.h>
#else
#error "Glue's trait NATS needs libnats, which isn't installed. On Debian: apt-get install libnats-dev"
#endif
