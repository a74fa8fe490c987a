// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CExchange.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

int exchange_names(const char *path, const char *other) {
#if defined(__linux__) && defined(SYS_renameat2)
  // By its number: musl has no function for it. 2 is RENAME_EXCHANGE.
  return (int)syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, 2u);
#elif defined(__APPLE__)
  return renamex_np(path, other, RENAME_SWAP);
#else
  errno = ENOSYS;
  return -1;
#endif
}
