#include "Loading.h"

// Defined in Swift, by GlueTesting itself.
extern void glue_testing_loaded(void);

__attribute__((constructor)) static void loaded(void) { glue_testing_loaded(); }
