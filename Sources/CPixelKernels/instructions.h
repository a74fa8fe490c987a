// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#ifndef CPIXELKERNELS_INSTRUCTIONS_H
#define CPIXELKERNELS_INSTRUCTIONS_H

#include "CPixelKernels.h"

// The `target` attribute of Clang and GCC compiles a function for more than the baseline.
#if defined(__x86_64__)
#define PIXEL_HAS_WIDE 1
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vnni")))
#endif

// The weights are scaled by 2 to the power of 22, and sums start at one half to round.
#define BITS 22
#define HALF (1 << (BITS - 1))

// Versions for processors with more than the baseline.
__typeof__(pixel_resize_row) pixel_resize_row_avx2, pixel_resize_row_avx512;
__typeof__(pixel_add_rows) pixel_add_rows_avx2, pixel_add_rows_avx512;

#endif
