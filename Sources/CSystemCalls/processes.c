// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CSystemCalls.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__)
#include <dirent.h>
#include <sys/mman.h>
#endif

#if !defined(__APPLE__)
char **get_environ(void) { return environ; }
#endif

#if defined(__linux__)

// Makes crashes end the worker at once, because its server reports them in one sentence. Otherwise,
// Swift's runtime would print a trace, which takes many seconds.
static void leave_crashes_to_server(void) {
  // If the variable is set, the user wants the traces.
  if (getenv("SWIFT_BACKTRACE") != NULL) return;
  static const int crashes[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
  for (size_t index = 0; index < sizeof(crashes) / sizeof(crashes[0]); index++) {
    signal(crashes[index], SIG_DFL);
  }
}

// Returns the bytes of private memory that the process has reserved, including its stack.
static uint64_t reserved(void) {
  FILE *file = fopen("/proc/self/statm", "re");
  if (file == NULL) return 0;
  unsigned long long pages = 0;
  if (fscanf(file, "%*u %*u %*u %*u %*u %llu", &pages) != 1) pages = 0;
  fclose(file);
  return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool limit_memory(uint64_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return false;
  if (limit.rlim_max != RLIM_INFINITY && bytes > limit.rlim_max) return true;
  limit.rlim_cur = bytes;
  return setrlimit(RLIMIT_DATA, &limit) == 0;
}

bool limit_further_memory(uint64_t bytes) { return limit_memory(reserved() + bytes); }

void enter_worker(uint64_t bytes, int last) {
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  leave_crashes_to_server();
  limit_memory(bytes);
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return;
  int own = dirfd(folder);
  struct dirent *entry;
  while ((entry = readdir(folder)) != NULL) {
    int descriptor = atoi(entry->d_name);
    if (descriptor > last && descriptor != own) close(descriptor);
  }
  closedir(folder);
}

int open_shared_memory_file(void) {
  int file = memfd_create("tensorio", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0) fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
  return file;
}

int open_memory_file(void) { return memfd_create("tensorio", MFD_CLOEXEC); }

int open_sealable_memory_file(void) {
  return memfd_create("tensorio", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool seal_memory_file(int file, bool content) {
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | (content ? F_SEAL_WRITE : 0);
  return fcntl(file, F_ADD_SEALS, seals) == 0;
}

#else

bool limit_further_memory(uint64_t bytes) {
  (void)bytes;
  return false;
}

void enter_worker(uint64_t bytes, int last) {
  (void)bytes;
  (void)last;
}

int open_shared_memory_file(void) { return -1; }

int open_memory_file(void) { return -1; }

int open_sealable_memory_file(void) { return -1; }

bool seal_memory_file(int file, bool content) {
  (void)file;
  (void)content;
  return false;
}

#endif
