// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CLiteRT.h"

// LiteRT is written in C++, and throws through its C interface on some damaged models
// (std::logic_error for a name that is NULL, std::bad_alloc, std::length_error). Swift cannot catch
// that, and the process would end. So each function is called through a trampoline that turns an
// exception into a status.

namespace {

// The library's own functions. One library serves the whole process.
LiteRtFunctions originals;

template <class Tag, class Function>
struct Trampoline;

template <class Tag, class... Arguments>
struct Trampoline<Tag, LiteRtStatus(Arguments...)> {
  static LiteRtStatus call(Arguments... arguments) {
    try {
      return Tag::original()(arguments...);
    } catch (...) {
      return LITERT_STATUS_EXCEPTION;
    }
  }
};

template <class Tag, class... Arguments>
struct Trampoline<Tag, void(Arguments...)> {
  static void call(Arguments... arguments) {
    try {
      Tag::original()(arguments...);
    } catch (...) {
      // What is destroyed is never used again.
    }
  }
};

#define LITERT_TAG(result, name, parameters)                                                       \
  struct name##Tag {                                                                               \
    static auto original() { return originals.name; }                                              \
  };
LITERT_FUNCTIONS(LITERT_TAG)
#undef LITERT_TAG

}  // namespace

extern "C" void LiteRtGuardAgainstExceptions(LiteRtFunctions *functions) {
  originals = *functions;
#define LITERT_TRAMPOLINE(result, name, parameters)                                                \
  functions->name = Trampoline<name##Tag, result parameters>::call;
  LITERT_FUNCTIONS(LITERT_TRAMPOLINE)
#undef LITERT_TRAMPOLINE
}
