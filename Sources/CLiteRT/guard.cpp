// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CLiteRT.h"

// LiteRT is written in C++. For some damaged models, exceptions leave its C interface
// (std::logic_error for a NULL name, std::bad_alloc, std::length_error). Swift cannot catch them,
// so the process would end. Each function is therefore called through a trampoline that turns an
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
      // An object is never used after it was destroyed.
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
