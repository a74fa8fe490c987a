// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CSQLite.h"

#include <stddef.h>

// These references are weak, so that a program can also be linked without SQLite. They are then
// null.
#define WEAK(name) extern __typeof__(sqlite3_##name) sqlite3_##name __attribute__((weak));
SQLITE_FUNCTIONS(WEAK)

const char *sqlite_function_name(long index) {
#define NAME(name) "sqlite3_" #name,
  static const char *const names[] = {SQLITE_FUNCTIONS(NAME)};
  const long count = sizeof names / sizeof *names;
  return index < 0 || index >= count ? NULL : names[index];
}

bool sqlite_linked_functions(sqlite_functions *functions) {
  if (sqlite3_open_v2 == NULL) return false;
#define FUNCTION(name) sqlite3_##name,
  *functions = (sqlite_functions){SQLITE_FUNCTIONS(FUNCTION)};
  return true;
}
