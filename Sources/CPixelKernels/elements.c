// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "instructions.h"

#include <string.h>

// With a fused operation, 255 * (2 / 255) - 1 would not be 1.
#pragma STDC FP_CONTRACT OFF

void pixel_gray_row(
    const uint8_t *row, size_t bytes_per_pixel, int is_bgr, size_t width, uint8_t *target) {
  const uint32_t first = is_bgr ? 7471 : 19595;
  const uint32_t last = is_bgr ? 19595 : 7471;
  for (size_t x = 0; x < width; x++, row += bytes_per_pixel, target += 3) {
    uint32_t sum = row[0] * first + row[1] * 38470 + row[2] * last + 0x8000;
    target[0] = target[1] = target[2] = (uint8_t)(sum >> 16);
  }
}

void pixel_round_row(const float *values, size_t count, uint8_t *target) {
  // Floats of at least 2 to the power of 23 have no fraction, so adding and subtracting it rounds.
  const float large = 8388608;
  for (size_t index = 0; index < count; index++) {
    // Round before clamping. The sum makes signaling NaNs quiet, so that their maximum with 0 is 0
    // on AArch64 too.
    float value = (values[index] + large) - large;
    value = value > 0 ? value : 0;
    value = value < 255 ? value : 255;
    target[index] = (uint8_t)(int32_t)value;
  }
}

// Compiled for the baseline and for AVX2, which doubles the width of loops.
static inline __attribute__((always_inline)) void scale_bytes(
    const uint8_t *values, const float *scales, const float *biases, size_t count, void *target) {
  for (size_t index = 0; index < count; index++) {
    float value = scales[index] * (float)values[index] + biases[index];
    memcpy((uint8_t *)target + index * sizeof value, &value, sizeof value);
  }
}

#if defined(PIXEL_HAS_WIDE)
AVX2 static void scale_bytes_avx2(
    const uint8_t *values, const float *scales, const float *biases, size_t count, void *target) {
  scale_bytes(values, scales, biases, count, target);
}
#endif

void pixel_scale_bytes(
    const uint8_t *values, const float *scales, const float *biases, size_t count, void *target) {
#if defined(PIXEL_HAS_WIDE)
  if (pixel_current_instructions() >= PIXEL_AVX2) {
    scale_bytes_avx2(values, scales, biases, count, target);
    return;
  }
#endif
  scale_bytes(values, scales, biases, count, target);
}

void pixel_scale_floats(
    const float *values, const float *scales, const float *biases, size_t count, void *target) {
  for (size_t index = 0; index < count; index++) {
    float value = scales[index] * values[index] + biases[index];
    memcpy((uint8_t *)target + index * sizeof value, &value, sizeof value);
  }
}
