// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CPixelKernels.h"

#include <string.h>

// TensorFlow and OpenCV round after every product and every sum, so they must not be fused.
#pragma STDC FP_CONTRACT OFF

// Clang's vectors, which it compiles for every processor. A pixel's three channels take the first
// three elements; the fourth is computed too and then overwritten by the next pixel.
typedef uint8_t bytes4 __attribute__((vector_size(4)));
typedef int32_t ints4 __attribute__((vector_size(16)));
typedef float floats4 __attribute__((vector_size(16)));

static bytes4 load_bytes(const uint8_t *pixel) {
  bytes4 bytes;
  memcpy(&bytes, pixel, sizeof bytes);
  return bytes;
}

static floats4 load_floats(const float *pixel) {
  floats4 floats;
  memcpy(&floats, pixel, sizeof floats);
  return floats;
}

static void store_floats(float *target, floats4 floats) { memcpy(target, &floats, sizeof floats); }

void pixel_lerp_row(
    const uint8_t *row, size_t step, const pixel_lerp *lerps, size_t width, float *target) {
  for (size_t x = 0; x < width; x++, target += 3) {
    const pixel_lerp lerp = lerps[x];
    floats4 first = __builtin_convertvector(load_bytes(row + lerp.first * step), floats4);
    floats4 second = __builtin_convertvector(load_bytes(row + lerp.second * step), floats4);
    store_floats(target, first + (second - first) * lerp.fraction);
  }
}

void pixel_lerp_rows(
    const float *first, const float *second, float fraction, size_t count, float *target) {
  for (size_t index = 0; index < count; index++) {
    target[index] = first[index] + (second[index] - first[index]) * fraction;
  }
}

void pixel_add_row(const uint8_t *row, float weight, size_t count, float *sums) {
  for (size_t index = 0; index < count; index++) sums[index] += weight * (float)row[index];
}

void pixel_add_columns(
    const float *row, const uint32_t *starts, const uint32_t *counts, const float *weights,
    size_t stride, size_t width, float *target) {
  for (size_t x = 0; x < width; x++, target += 3, weights += stride) {
    const float *pixel = row + 3 * (size_t)starts[x];
    floats4 sums = {0, 0, 0, 0};
    for (uint32_t tap = 0; tap < counts[x]; tap++, pixel += 3) {
      sums += load_floats(pixel) * weights[tap];
    }
    store_floats(target, sums);
  }
}

void pixel_cover_columns(
    const uint8_t *row, size_t bytes_per_pixel, const uint32_t *starts, const uint32_t *counts,
    const float *weights, size_t stride, size_t width, float *target) {
  for (size_t x = 0; x < width; x++, target += 3, weights += stride) {
    const uint8_t *pixel = row + bytes_per_pixel * starts[x];
    floats4 sums = {0, 0, 0, 0};
    for (uint32_t tap = 0; tap < counts[x]; tap++, pixel += bytes_per_pixel) {
      sums += __builtin_convertvector(load_bytes(pixel), floats4) * weights[tap];
    }
    store_floats(target, sums);
  }
}

void pixel_add_floats(const float *row, float weight, size_t count, float *sums) {
  for (size_t index = 0; index < count; index++) sums[index] += weight * row[index];
}

void pixel_fixed_row(
    const uint8_t *row, size_t step, const pixel_fixed *positions, size_t width, int32_t *target) {
  for (size_t x = 0; x < width; x++, target += 3) {
    const pixel_fixed at = positions[x];
    ints4 sum =
        __builtin_convertvector(load_bytes(row + at.first * step), ints4) * at.first_weight +
        __builtin_convertvector(load_bytes(row + at.second * step), ints4) * at.second_weight;
    memcpy(target, &sum, sizeof sum);
  }
}

void pixel_fixed_rows(
    const int32_t *first, const int32_t *second, int32_t first_weight, int32_t second_weight,
    size_t count, uint8_t *target) {
  for (size_t index = 0; index < count; index++) {
    int32_t sum = ((first_weight * (first[index] >> 4)) >> 16) +
                  ((second_weight * (second[index] >> 4)) >> 16);
    target[index] = (uint8_t)((sum + 2) >> 2);
  }
}
