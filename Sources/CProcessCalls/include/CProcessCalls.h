// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// System calls that limit processes and report how they end.
//
// Swift cannot make these calls, because they are variadic or must be safe in a signal handler.

#ifndef CPROCESSCALLS_H
#define CPROCESSCALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Sets the description of a signal that the process's own code or a model's runtime can cause, for
// `report_faults`. The text is copied.
void describe_fault(int signal, const char *description);

// Makes the described signals end the process with an exit code and a line on standard error,
// instead of a trace. The line consists of `before`, the description and `after`.
//
// The texts are copied, and a later call replaces them. Stack overflows are reported only on the
// thread of the first call.
void report_faults(const char *before, const char *after, int code);

// Ends the process after a number of milliseconds, with a line on standard error and an exit code.
// 0 milliseconds cancel it. The text is copied.
void end_later(uint32_t milliseconds, const char *text, int code);

// Limits how many bytes the process may reserve in addition to its current memory. Returns false
// when the system refuses.
bool limit_further_memory(uint64_t bytes);

// Limits the memory that the process may reserve, disables core dumps, and closes every descriptor
// above `last`. Call this in a child process that has just started.
void enter_worker(uint64_t bytes, int last);

// Opens a file in memory that a child inherits, or returns -1 where this isn't supported. The file
// can grow but not shrink, so readers never reach past the end of what they have mapped.
int open_shared_memory_file(void);

// Opens a file in memory that is closed in children, or returns -1 where this isn't supported.
int open_memory_file(void);

#endif
