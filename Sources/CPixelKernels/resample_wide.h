// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#ifndef CPIXELKERNELS_RESAMPLE_WIDE_H
#define CPIXELKERNELS_RESAMPLE_WIDE_H

#include "CPixelKernels.h"

// The weights are scaled by 2 to the power of 22, and sums start at one half to round.
#define BITS 22
#define HALF (1 << (BITS - 1))

// Versions for processors with more than the baseline.
__typeof__(pixel_resize_row) pixel_resize_row_avx2, pixel_resize_row_avx512;
__typeof__(pixel_add_rows) pixel_add_rows_avx2, pixel_add_rows_avx512;

#endif
