// Runs when the program is loaded, before any test: Swift has no code that does.

extern void glue_testing_loaded(void);

__attribute__((constructor)) static void loaded(void) { glue_testing_loaded(); }
