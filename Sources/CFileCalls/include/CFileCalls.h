// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Calls of the system that it declares only to C programs which ask for its own extensions.

#ifndef CFILECALLS_H
#define CFILECALLS_H

#include <stdbool.h>
#include <stdint.h>

// Lets two names of a file system change places in one step, so that nobody finds neither.
//
// 0, or -1 with `errno`: not every system, and not every file system, can do it.
int exchange_names(const char *path, const char *other);

// Whether the byte at a place of a file can be read without waiting for the disk.
//
// false as well where the file is shorter, and where the system or the file system cannot tell.
bool is_byte_in_memory(int file, int64_t offset);

#endif
