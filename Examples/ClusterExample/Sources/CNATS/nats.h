// The NATS client for C, as Debian's libnats-dev installs it.
#include <nats/nats.h>
