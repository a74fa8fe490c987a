// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Calls of the system that limit processes and tell how they end. Swift cannot make them: they are
// variadic, or must be safe in a signal's handler.

#ifndef CPROCESSCALLS_H
#define CPROCESSCALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Names a signal that the process's own code or a model's runtime brings about, for `report_faults`. The
// text is copied.
void describe_fault(int signal, const char *description);

// Has the signals that are described end the process with a line on standard error, `before`, the
// description and `after`, and with an exit code, in place of a trace. The texts are copied; a later
// call replaces them. A stack that has run over is told of on the thread of the first call only.
void report_faults(const char *before, const char *after, int code);

// Ends the process in so many milliseconds, with a line on standard error and an exit code; 0
// milliseconds call it off. The text is copied.
void end_later(uint32_t milliseconds, const char *text, int code);

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
