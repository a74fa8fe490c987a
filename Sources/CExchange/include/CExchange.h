// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// Lets two names of a file system change places in one step, so that nobody finds neither. It is C
// because the system declares the call to C programs only that ask for its own extensions.

#ifndef CEXCHANGE_H
#define CEXCHANGE_H

// 0, or -1 with `errno`: not every system, and not every file system, can do it.
int exchange_names(const char *path, const char *other);

#endif
