// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// System calls that are declared only for C programs that request the system's own extensions.

#ifndef CFILECALLS_H
#define CFILECALLS_H

#include <stdbool.h>
#include <stdint.h>

// Exchanges two names of a file system in one step, so that both exist at all times.
//
// Returns 0, or -1 with `errno`, because not every system and not every file system supports it.
int exchange_names(const char *path, const char *other);

// Returns whether the byte at an offset of a file can be read without waiting for the disk.
//
// Returns false also if the file is shorter, or if the system or the file system cannot tell.
bool is_byte_in_memory(int file, int64_t offset);

#endif
