// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "instructions.h"

#include <stdatomic.h>

static atomic_int most_allowed = PIXEL_AVX512;

void pixel_limit_instructions(pixel_instructions most) {
  atomic_store_explicit(&most_allowed, most, memory_order_relaxed);
}

static pixel_instructions processor_instructions(void) {
#if defined(PIXEL_HAS_WIDE)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vnni")) {
    return PIXEL_AVX512;
  }
  if (__builtin_cpu_supports("avx2")) return PIXEL_AVX2;
#endif
  return PIXEL_BASELINE;
}

pixel_instructions pixel_current_instructions(void) {
  pixel_instructions allowed =
      (pixel_instructions)atomic_load_explicit(&most_allowed, memory_order_relaxed);
  pixel_instructions present = processor_instructions();
  return present < allowed ? present : allowed;
}
