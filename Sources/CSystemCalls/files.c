// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CSystemCalls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#endif

int exchange_names(const char *path, const char *other) {
#if defined(__linux__) && defined(SYS_renameat2)
  // Call it by its number, because musl has no function for it. 2 is RENAME_EXCHANGE.
  return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, 2u);
#elif defined(__APPLE__)
  return renamex_np(path, other, RENAME_SWAP);
#else
  errno = ENOSYS;
  return -1;
#endif
}

bool is_byte_in_memory(int file, int64_t offset) {
#if defined(__GLIBC__) && defined(RWF_NOWAIT)
  char byte;
  struct iovec part = {.iov_base = &byte, .iov_len = 1};
  return preadv2(file, &part, 1, (off_t)offset, RWF_NOWAIT) == 1;
#else
  return false;
#endif
}
