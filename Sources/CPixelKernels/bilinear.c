// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CPixelKernels.h"

// TensorFlow rounds every product and every sum.
#pragma STDC FP_CONTRACT OFF

void pixel_lerp_row(
    const uint8_t *row, size_t bytes_per_pixel, const pixel_lerp *lerps, size_t width,
    float *target) {
  for (size_t x = 0; x < width; x++, target += 3) {
    const uint8_t *first = row + lerps[x].first * bytes_per_pixel;
    const uint8_t *second = row + lerps[x].second * bytes_per_pixel;
    for (int channel = 0; channel < 3; channel++) {
      float from = first[channel];
      target[channel] = from + ((float)second[channel] - from) * lerps[x].fraction;
    }
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
    float sums[3] = {0, 0, 0};
    for (uint32_t tap = 0; tap < counts[x]; tap++, pixel += 3) {
      for (int channel = 0; channel < 3; channel++) sums[channel] += weights[tap] * pixel[channel];
    }
    for (int channel = 0; channel < 3; channel++) target[channel] = sums[channel];
  }
}

void pixel_cover_columns(
    const uint8_t *row, size_t bytes_per_pixel, const uint32_t *starts, const uint32_t *counts,
    const float *weights, size_t stride, size_t width, float *target) {
  for (size_t x = 0; x < width; x++, target += 3, weights += stride) {
    const uint8_t *pixel = row + bytes_per_pixel * starts[x];
    float sums[3] = {0, 0, 0};
    for (uint32_t tap = 0; tap < counts[x]; tap++, pixel += bytes_per_pixel) {
      for (int channel = 0; channel < 3; channel++) {
        sums[channel] += (float)pixel[channel] * weights[tap];
      }
    }
    for (int channel = 0; channel < 3; channel++) target[channel] = sums[channel];
  }
}

void pixel_add_floats(const float *row, float weight, size_t count, float *sums) {
  for (size_t index = 0; index < count; index++) sums[index] += weight * row[index];
}

void pixel_fixed_row(
    const uint8_t *row, size_t bytes_per_pixel, const pixel_fixed *positions, size_t width,
    int32_t *target) {
  for (size_t x = 0; x < width; x++, target += 3) {
    const pixel_fixed position = positions[x];
    const uint8_t *first = row + position.first * bytes_per_pixel;
    const uint8_t *second = row + position.second * bytes_per_pixel;
    for (int channel = 0; channel < 3; channel++) {
      target[channel] =
          first[channel] * position.first_weight + second[channel] * position.second_weight;
    }
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
