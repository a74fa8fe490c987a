// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// The inner loops that turn images into tensors.
//
// They are written in C for two reasons. Swift cannot express the one fast multiplication of
// x86-64, pairs of 16-bit numbers into 32-bit sums: with Swift's SIMD types, LLVM takes the pairs
// apart again and the loops run five times slower. C also lets a function be compiled for AVX2 and
// chosen when the program runs.
//
// Rows of pixels are read in vectors, so 16 bytes after a row must be readable.

#ifndef CPIXELKERNELS_H
#define CPIXELKERNELS_H

#include <stddef.h>
#include <stdint.h>

// MARK: Pillow's resizing, in integers

// The weights of two neighbouring taps with 22 bits each: `high * 32768 + low`. Each half repeats
// the first tap's and the second tap's number four times.
typedef struct {
  int16_t low[8];
  int16_t high[8];
} pixel_weights;

// The weights for each of four neighbouring target pixels.
typedef struct {
  int16_t low[4][8];
  int16_t high[4][8];
} pixel_group_weights;

// Four neighbouring target pixels. Each takes `pairs` times two source pixels from its start.
typedef struct {
  uint32_t start[4];
  uint32_t pairs;
  // The index of the first weights.
  uint32_t weights;
  // Not 0 if the second weights of the last pair are all 0.
  uint32_t is_odd;
} pixel_group;

// Resizes one row, with three of the bytes of every pixel of 3 or 4 bytes. Writes four target
// pixels for each group, and up to 4 bytes after them.
void pixel_resize_row(
    const uint8_t *row, size_t bytes_per_pixel, const pixel_group *groups,
    const pixel_group_weights *weights, size_t group_count, uint8_t *target);

// Adds up `pairs * 2` weighted rows of `count` bytes. Reads and writes whole blocks of 64 bytes.
void pixel_add_rows(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t count,
    uint8_t *target);

// MARK: TensorFlow's and OpenCV's resizing
//
// These functions also write whole vectors: one value after each row of the target.

// A target position between two source positions, and its distance from the first as a fraction.
typedef struct {
  uint32_t first;
  uint32_t second;
  float fraction;
} pixel_lerp;

// Resizes one row: `first + (second - first) * fraction` for three bytes of every pixel.
void pixel_lerp_row(
    const uint8_t *row, size_t bytes_per_pixel, const pixel_lerp *lerps, size_t width,
    float *target);

// Resizes between two rows of floats, in the same way.
void pixel_lerp_rows(
    const float *first, const float *second, float fraction, size_t count, float *target);

// Adds a weighted row of packed bytes to sums: `sums[i] += weight * row[i]`.
void pixel_add_row(const uint8_t *row, float weight, size_t count, float *sums);

// Computes the weighted sums of `counts[x]` pixels of three floats, from pixel `starts[x]` on.
//
// The weights of a target pixel begin at `x * stride`.
void pixel_add_columns(
    const float *row, const uint32_t *starts, const uint32_t *counts, const float *weights,
    size_t stride, size_t width, float *target);

// The same as `pixel_add_columns` for bytes, with three bytes of every pixel of 3 or 4.
void pixel_cover_columns(
    const uint8_t *row, size_t bytes_per_pixel, const uint32_t *starts, const uint32_t *counts,
    const float *weights, size_t stride, size_t width, float *target);

// Adds a weighted row of floats to sums: `sums[i] += weight * row[i]`.
void pixel_add_floats(const float *row, float weight, size_t count, float *sums);

// A target position between two source positions, whose weights add up to 2048.
typedef struct {
  uint32_t first;
  uint32_t second;
  int32_t first_weight;
  int32_t second_weight;
} pixel_fixed;

// OpenCV's linear resizing, within one row of bytes and between two such rows.
void pixel_fixed_row(
    const uint8_t *row, size_t bytes_per_pixel, const pixel_fixed *positions, size_t width,
    int32_t *target);
void pixel_fixed_rows(
    const int32_t *first, const int32_t *second, int32_t first_weight, int32_t second_weight,
    size_t count, uint8_t *target);

// MARK: Formats and elements

// Replaces three bytes of every pixel by their brightness, as in Pillow's `convert("L")`.
void pixel_gray_row(
    const uint8_t *row, size_t bytes_per_pixel, int is_bgr, size_t width, uint8_t *target);

// Rounds to bytes, with halves to even. Numbers outside 0...255 are clamped, and NaN becomes 0.
void pixel_round_row(const float *values, size_t count, uint8_t *target);

// Computes `scales[i] * values[i] + biases[i]`, rounding the product and then the sum. The target
// needs no alignment.
void pixel_scale_bytes(
    const uint8_t *values, const float *scales, const float *biases, size_t count, void *target);
void pixel_scale_floats(
    const float *values, const float *scales, const float *biases, size_t count, void *target);

// MARK: Instruction sets

typedef enum {
  PIXEL_BASELINE = 0,  // Available on every processor of the architecture.
  PIXEL_AVX2 = 1,
  PIXEL_AVX512 = 2  // With byte, word and neural network instructions.
} pixel_instructions;

// Limits the instructions that are used, for tests. The processor may have fewer.
void pixel_limit_instructions(pixel_instructions most);

// Returns the instructions in use.
pixel_instructions pixel_current_instructions(void);

// MARK: Time

// Returns the processor's counter, which runs at a constant rate in a machine-specific unit.
//
// It is meant for time spans shorter than a row, for which reading a clock would take too long.
static inline uint64_t pixel_ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
#error "No counter is known for this processor."
#endif
}

#endif
