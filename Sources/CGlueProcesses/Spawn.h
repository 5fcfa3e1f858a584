// What the C library shows to programs alone that ask for its extensions, as Swift doesn't.

#include <spawn.h>

/// Closes all descriptors from a number on, at this place among the actions.
int posix_spawn_file_actions_addclosefrom_np(
    posix_spawn_file_actions_t *_Nonnull actions, int first);
