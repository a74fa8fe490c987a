// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// The inner loops that pictures go through on their way into a tensor. They are C because the one
// fast multiplication of x86-64, pairs of 16-bit numbers into 32-bit sums, is out of Swift's reach:
// written with Swift's SIMD types, LLVM takes the pairs apart again and the loops run five times
// slower; and because C lets a function be compiled for AVX2 and chosen when the program runs.
//
// Rows of pixels are read in vectors: 16 bytes behind a row must be readable.

#ifndef CPIXELKERNELS_H
#define CPIXELKERNELS_H

#include <stddef.h>
#include <stdint.h>

// MARK: Pillow's resizing, in integers

// The weights of two neighbouring taps, 22 bits each: `high * 32768 + low`. Each half holds
// the first tap's and the second's number four times in turn.
typedef struct {
  int16_t low[8];
  int16_t high[8];
} pixel_weights;

// The same for each of four neighbouring target pixels.
typedef struct {
  int16_t low[4][8];
  int16_t high[4][8];
} pixel_group_weights;

// Four neighbouring target pixels: each takes `pairs` times two source pixels from its start.
typedef struct {
  uint32_t start[4];
  uint32_t pairs;
  // The index of the first weights.
  uint32_t weights;
  // Not 0 where the last pair's second weights are all 0.
  uint32_t is_odd;
} pixel_group;

// Resizes one row: three of the bytes of every pixel of 3 or 4 bytes. Writes four target pixels for
// each group and up to 4 bytes behind them.
void pixel_resize_row(
    const uint8_t *row, size_t bytes_per_pixel, const pixel_group *groups,
    const pixel_group_weights *weights, size_t group_count, uint8_t *target);

// Adds up `pairs * 2` weighted rows of `count` bytes; reads and writes whole blocks of 64 bytes.
void pixel_add_rows(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t count,
    uint8_t *target);

// MARK: TensorFlow's and OpenCV's resizing
//
// These write whole vectors, too: one value behind a row of the target.

// A target position between two source positions: how far it is from the first to the second.
typedef struct {
  uint32_t first;
  uint32_t second;
  float fraction;
} pixel_lerp;

// Resizes one row: `first + (second - first) * fraction` for three bytes of every pixel.
void pixel_lerp_row(
    const uint8_t *row, size_t bytes_per_pixel, const pixel_lerp *lerps, size_t width,
    float *target);

// The same between two rows of floats.
void pixel_lerp_rows(
    const float *first, const float *second, float fraction, size_t count, float *target);

// Adds a weighted row of packed bytes to sums: `sums[i] += weight * row[i]`.
void pixel_add_row(const uint8_t *row, float weight, size_t count, float *sums);

// The weighted sums of `counts[x]` pixels of three floats, from pixel `starts[x]` on.
//
// The weights of a target pixel begin at `x * stride`.
void pixel_add_columns(
    const float *row, const uint32_t *starts, const uint32_t *counts, const float *weights,
    size_t stride, size_t width, float *target);

// The same for bytes: three of every pixel of 3 or 4.
void pixel_cover_columns(
    const uint8_t *row, size_t bytes_per_pixel, const uint32_t *starts, const uint32_t *counts,
    const float *weights, size_t stride, size_t width, float *target);

// Adds a weighted row: `sums[i] += weight * row[i]`.
void pixel_add_floats(const float *row, float weight, size_t count, float *sums);

// A target position between two source positions, whose weights add up to 2048.
typedef struct {
  uint32_t first;
  uint32_t second;
  int32_t first_weight;
  int32_t second_weight;
} pixel_fixed;

// OpenCV's linear resizing of one row of bytes, and between two such rows.
void pixel_fixed_row(
    const uint8_t *row, size_t bytes_per_pixel, const pixel_fixed *positions, size_t width,
    int32_t *target);
void pixel_fixed_rows(
    const int32_t *first, const int32_t *second, int32_t first_weight, int32_t second_weight,
    size_t count, uint8_t *target);

// MARK: Formats and elements

// Three bytes of every pixel become their brightness, three times, as Pillow's `convert("L")`.
void pixel_gray_row(
    const uint8_t *row, size_t bytes_per_pixel, int is_bgr, size_t width, uint8_t *target);

// Rounds to bytes, halves to even; numbers beyond 0...255 become the nearest of these, NaNs 0.
void pixel_round_row(const float *values, size_t count, uint8_t *target);

// `scales[i] * values[i] + biases[i]`, product and sum rounded one after the other. The target needs
// no alignment.
void pixel_scale_bytes(
    const uint8_t *values, const float *scales, const float *biases, size_t count, void *target);
void pixel_scale_floats(
    const float *values, const float *scales, const float *biases, size_t count, void *target);

// MARK: Instruction sets

typedef enum {
  PIXEL_BASELINE = 0,  // What every processor of the architecture has.
  PIXEL_AVX2 = 1,
  PIXEL_AVX512 = 2  // With byte, word and neural network instructions.
} pixel_instructions;

// Lets no more than these be used, for tests; the processor may have fewer.
void pixel_limit_instructions(pixel_instructions most);

// Those in use.
pixel_instructions pixel_current_instructions(void);

// MARK: Time

// The processor's own counter, which runs evenly: for spans of less than a row, of which a clock's
// reading would be a good part. Its unit is the machine's.
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
