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

// Versions of pixel_resize_row and pixel_add_rows for processors with more than the baseline.
void pixel_resize_row_avx2(
    const uint8_t *row, size_t step, const pixel_group *groups,
    const pixel_group_weights *weights, size_t group_count, uint8_t *target);
void pixel_add_rows_avx2(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t count,
    uint8_t *target);
void pixel_resize_row_avx512(
    const uint8_t *row, size_t step, const pixel_group *groups,
    const pixel_group_weights *weights, size_t group_count, uint8_t *target);
void pixel_add_rows_avx512(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t count,
    uint8_t *target);

#endif
