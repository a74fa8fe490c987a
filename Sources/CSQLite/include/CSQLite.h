// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// SQLite's functions, which this program is either linked with or opens when it needs them.

#ifndef CSQLITE_H
#define CSQLITE_H

#include <sqlite3.h>
#include <stdbool.h>

// The functions that are used: X(name without sqlite3_).
#define SQLITE_FUNCTIONS(X) \
  X(bind_blob64)            \
  X(bind_double)            \
  X(bind_int64)             \
  X(bind_null)              \
  X(bind_text64)            \
  X(bind_zeroblob)          \
  X(busy_timeout)           \
  X(clear_bindings)         \
  X(close_v2)               \
  X(column_blob)            \
  X(column_bytes)           \
  X(column_count)           \
  X(column_double)          \
  X(column_int64)           \
  X(column_name)            \
  X(column_text)            \
  X(column_type)            \
  X(errmsg)                 \
  X(errstr)                 \
  X(exec)                   \
  X(extended_result_codes)  \
  X(finalize)               \
  X(last_insert_rowid)      \
  X(open_v2)                \
  X(prepare_v3)             \
  X(reset)                  \
  X(step)

typedef struct {
#define SQLITE_MEMBER(name) __typeof__(sqlite3_##name) *name;
  SQLITE_FUNCTIONS(SQLITE_MEMBER)
#undef SQLITE_MEMBER
} sqlite_functions;

// Returns the name of a function by its index in the structure, or NULL after the last one.
const char *sqlite_function_name(long index);

// Fills the structure if this program is linked with SQLite, and returns whether it is.
bool sqlite_linked_functions(sqlite_functions *functions);

#endif
