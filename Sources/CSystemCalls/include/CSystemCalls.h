// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// The system's C interface, under one name on every platform, and what Swift cannot import of it:
// calls that are variadic, that only some systems have, or that must be safe in a signal handler.

#ifndef CSYSTEMCALLS_H
#define CSYSTEMCALLS_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

// Macros and variables that Swift cannot import. Apple's systems have Swift declarations of them.
#if !defined(__APPLE__)
static inline int get_errno(void) __attribute__((swift_name("getter:errno()")));
static inline int get_errno(void) { return errno; }

static inline sig_t get_SIG_DFL(void) __attribute__((swift_name("getter:SIG_DFL()")));
static inline sig_t get_SIG_DFL(void) { return SIG_DFL; }

static inline sig_t get_SIG_IGN(void) __attribute__((swift_name("getter:SIG_IGN()")));
static inline sig_t get_SIG_IGN(void) { return SIG_IGN; }

static inline void *get_MAP_FAILED(void) __attribute__((swift_name("getter:MAP_FAILED()")));
static inline void *get_MAP_FAILED(void) { return MAP_FAILED; }

char **get_environ(void) __attribute__((swift_name("getter:environ()")));
#endif

// MARK: Files

// Calls `open` with permissions for a new file.
static inline int open_file(const char *path, int flags, mode_t permissions) {
  return open(path, flags, permissions);
}

// Returns a copy of a descriptor that children don't inherit, or -1.
//
// The copy never takes the place of a standard stream that is closed.
static inline int copy_descriptor(int descriptor) {
  return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

// Exchanges two names of a file system in one step, so that both exist at all times.
//
// Returns 0, or -1 with `errno`, because not every system and not every file system supports it.
int exchange_names(const char *path, const char *other);

// Returns whether the byte at an offset of a file can be read without waiting for the disk.
//
// Returns false also if the file is shorter, or if the system or the file system cannot tell.
bool is_byte_in_memory(int file, int64_t offset);

// MARK: Processes

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

// Opens a file in memory whose size and content can be fixed, or returns -1 where this isn't
// supported.
int open_sealable_memory_file(void);

// Fixes the size of such a file, and its content as well if nothing has mapped it for writing.
bool seal_memory_file(int file, bool content);

#endif
