// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "instructions.h"

#include <stdatomic.h>

static atomic_int most_allowed = PIXEL_AVX2;

void pixel_limit_instructions(pixel_instructions most) {
  atomic_store_explicit(&most_allowed, most, memory_order_relaxed);
}

int pixel_may_use_avx2(void) {
#if defined(PIXEL_HAS_AVX2)
  return atomic_load_explicit(&most_allowed, memory_order_relaxed) >= PIXEL_AVX2 &&
         __builtin_cpu_supports("avx2");
#else
  return 0;
#endif
}

pixel_instructions pixel_current_instructions(void) {
  return pixel_may_use_avx2() ? PIXEL_AVX2 : PIXEL_BASELINE;
}
