// PostgreSQL's client for C, as Debian's libpq-dev installs it.
#include <libpq-fe.h>
