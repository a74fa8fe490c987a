// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// The two inner loops of the resampler. They are C because the one fast multiplication of plain
// x86-64, pairs of 16-bit numbers into 32-bit sums, is out of Swift's reach: written with Swift's
// SIMD types, LLVM takes the pairs apart again and the loops run five times slower.

#ifndef CPIXELKERNELS_H
#define CPIXELKERNELS_H

#include <stddef.h>
#include <stdint.h>

// The weights of two neighbouring taps, 22 bits each: `high * 32768 + low`. Each half holds
// the first tap's and the second's number four times in turn.
typedef struct {
  int16_t low[8];
  int16_t high[8];
} pixel_weights;

// The taps of an output value: `pairs` times two source positions from `start`.
typedef struct {
  uint32_t start;
  uint32_t pairs;
  // The index of its first weights.
  uint32_t weights;
} pixel_window;

// Resizes one row of pixels to `width` pixels of three bytes.
//
// `bytes_per_pixel` is 3 or 4. A pixel's four bytes (with 3, the last is the next one's first)
// are reversed if `swap` is not 0, then the first `skip` of them are dropped, then three count.
// Reads up to 4 bytes behind the last pixel, and writes one byte behind the result.
void pixel_resize_row(
    const uint8_t *row, size_t bytes_per_pixel, int swap, unsigned skip,
    const pixel_window *windows, const pixel_weights *weights, size_t width, uint8_t *target);

// Adds up `pairs * 2` weighted rows of `count` bytes; reads and writes whole blocks of 16 bytes.
void pixel_add_rows(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t count,
    uint8_t *target);

#endif
