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
LiteRtProfilerFunctions profilerOriginals;

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

#define LITERT_TAG(result, name, parameters)                                                       \
  struct name##Tag {                                                                               \
    static auto original() { return profilerOriginals.name; }                                      \
  };
LITERT_PROFILER_FUNCTIONS(LITERT_TAG)
#undef LITERT_TAG

}  // namespace

#define LITERT_TRAMPOLINE(result, name, parameters)                                                \
  functions->name = Trampoline<name##Tag, result parameters>::call;

extern "C" void LiteRtGuardAgainstExceptions(LiteRtFunctions *functions) {
  originals = *functions;
  LITERT_FUNCTIONS(LITERT_TRAMPOLINE)
}

extern "C" void LiteRtGuardProfilerAgainstExceptions(LiteRtProfilerFunctions *functions) {
  profilerOriginals = *functions;
  LITERT_PROFILER_FUNCTIONS(LITERT_TRAMPOLINE)
}
#undef LITERT_TRAMPOLINE

#define LITERT_NAME(result, name, parameters) "LiteRt" #name,

extern "C" const char *LiteRtFunctionName(size_t index) {
  static const char *const names[] = {LITERT_FUNCTIONS(LITERT_NAME)};
  static_assert(sizeof(LiteRtFunctions) == sizeof(names), "Every function has a name.");
  return index < sizeof(names) / sizeof(names[0]) ? names[index] : nullptr;
}

extern "C" const char *LiteRtProfilerFunctionName(size_t index) {
  static const char *const names[] = {LITERT_PROFILER_FUNCTIONS(LITERT_NAME)};
  static_assert(sizeof(LiteRtProfilerFunctions) == sizeof(names), "Every function has a name.");
  return index < sizeof(names) / sizeof(names[0]) ? names[index] : nullptr;
}
#undef LITERT_NAME

static_assert(sizeof(LiteRtLayout) == 68, "LiteRtLayout has 68 bytes.");
static_assert(sizeof(LiteRtRankedTensorType) == 72, "LiteRtRankedTensorType has 72 bytes.");
static_assert(sizeof(LiteRtQuantizationPerTensor) == 16, "It has 16 bytes.");
static_assert(sizeof(LiteRtQuantizationPerChannel) == 32, "It has 32 bytes.");
static_assert(sizeof(LiteRtEnvironmentOption) == 24, "LiteRtEnvironmentOption has 24 bytes.");
static_assert(sizeof(LiteRtProfiledEvent) == 104, "LiteRtProfiledEvent has 104 bytes.");
