// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Calls of the system that start, limit and watch processes. Swift cannot make them: they are
// variadic, or Swift's modules do not show them.

#ifndef CPROCESSCALLS_H
#define CPROCESSCALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// How a watched child ended.
struct watched_end {
  // Its exit status, or -1 when a signal ended it.
  int status;
  // The signal that ended it, or 0.
  int signal;
  // Whether it was ended because its time was over.
  bool is_overdue;
  // What it last said it was doing, with a zero at its end; empty when it had said nothing.
  char activity[1024];
};

// Lets the rest of the program run in a child, and watches over it. Call it before anything starts a
// thread.
//
// Returns in the child, with the descriptor for `watch_activity`. In the parent it returns -1 when
// the child has ended, and fills in how. Signals for the parent are handed to the child; the
// terminal has sent its own to both. -2 when the system has no such calls or refuses: there is no
// child then, and the program goes on by itself.
int run_watched(struct watched_end *end);

// Tells the watching parent what begins now, and how many milliseconds it may take; 0 for as long as
// it wants. An empty text ends it.
void watch_activity(int descriptor, const char *text, uint32_t milliseconds);

// Bounds what the process may still reserve, in bytes, beside what it has now; 0 when the system
// refuses.
bool limit_further_memory(uint64_t bytes);

// Bounds the memory that the process may reserve, keeps it from writing core dumps, and closes every
// descriptor above `last`: for a child that has just been started.
void enter_worker(uint64_t bytes, int last);

// Opens a file that exists in memory only, for a child to inherit; -1 where there are none. It can
// grow, but nobody can make it shorter, so that readers never meet the end of what they have mapped.
int open_shared_memory_file(void);

// Opens a file that exists in memory only and is closed in children; -1 where there are none.
int open_memory_file(void);

#endif
