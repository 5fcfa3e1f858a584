#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// Whether heap allocations can be counted here: with glibc they can.
int allocationsAreCountable(void);

/// Begins to count the heap allocations of all threads, from 0.
void beginCountingAllocations(void);

/// Ends counting; returns how many there were.
long endCountingAllocations(void);

#endif
