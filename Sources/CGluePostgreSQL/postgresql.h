// PostgreSQL's client for C, which Debian's libpq-dev installs in a folder of its own.
//
// The manifest names no pkg-config, because one of SwiftPM's build systems would ask for it even where
// the trait is off.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#error "Glue's trait PostgreSQL needs libpq, which isn't installed. On Debian: apt-get install libpq-dev"
#endif
