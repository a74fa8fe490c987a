// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "instructions.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__SSE2__)

static __m128i load4(const uint8_t *bytes) {
  int32_t word;
  memcpy(&word, bytes, 4);
  return _mm_cvtsi32_si128(word);
}

static __m128i rounded(__m128i low, __m128i high) {
  return _mm_srai_epi32(_mm_add_epi32(low, _mm_slli_epi32(high, 15)), BITS);
}

static void store4(uint8_t *target, __m128i bytes) {
  int32_t word = _mm_cvtsi128_si32(bytes);
  memcpy(target, &word, 4);
}

// Writes a resized pixel of four bytes, the one with the index `which` in its group of four.
static void add_pixels(
    const uint8_t *pixel, size_t step, const pixel_group_weights *weights, int which,
    uint32_t pairs, uint8_t *target) {
  const __m128i zero = _mm_setzero_si128();
  __m128i low = _mm_set1_epi32(HALF);
  __m128i high = zero;
  for (; pairs > 0; pairs--, pixel += 2 * step, weights++) {
    __m128i both = _mm_unpacklo_epi8(load4(pixel), load4(pixel + step));
    both = _mm_unpacklo_epi8(both, zero);
    const __m128i *weight = (const __m128i *)weights + which;
    __m128i low_weights = _mm_loadu_si128(weight);
    __m128i high_weights = _mm_loadu_si128(weight + 4);
    low = _mm_add_epi32(low, _mm_madd_epi16(both, low_weights));
    high = _mm_add_epi32(high, _mm_madd_epi16(both, high_weights));
  }
  __m128i words = _mm_packs_epi32(rounded(low, high), zero);
  store4(target, _mm_packus_epi16(words, zero));
}

static void add_block(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t offset,
    uint8_t *target) {
  const __m128i zero = _mm_setzero_si128();
  const __m128i half = _mm_set1_epi32(HALF);
  __m128i low[4] = {half, half, half, half};
  __m128i high[4] = {zero, zero, zero, zero};
  for (; pairs > 0; pairs--, rows += 2, weights++) {
    __m128i one = _mm_loadu_si128((const __m128i *)(rows[0] + offset));
    __m128i two = _mm_loadu_si128((const __m128i *)(rows[1] + offset));
    __m128i front = _mm_unpacklo_epi8(one, two);
    __m128i back = _mm_unpackhi_epi8(one, two);
    __m128i values[4] = {
        _mm_unpacklo_epi8(front, zero), _mm_unpackhi_epi8(front, zero),
        _mm_unpacklo_epi8(back, zero), _mm_unpackhi_epi8(back, zero)};
    __m128i low_weights = _mm_loadu_si128((const __m128i *)weights->low);
    __m128i high_weights = _mm_loadu_si128((const __m128i *)weights->high);
    for (int part = 0; part < 4; part++) {
      low[part] = _mm_add_epi32(low[part], _mm_madd_epi16(values[part], low_weights));
      high[part] = _mm_add_epi32(high[part], _mm_madd_epi16(values[part], high_weights));
    }
  }
  __m128i front = _mm_packs_epi32(rounded(low[0], high[0]), rounded(low[1], high[1]));
  __m128i back = _mm_packs_epi32(rounded(low[2], high[2]), rounded(low[3], high[3]));
  _mm_storeu_si128((__m128i *)(target + offset), _mm_packus_epi16(front, back));
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

static int16x4_t load4(const uint8_t *bytes) {
  uint32_t word;
  memcpy(&word, bytes, 4);
  return vreinterpret_s16_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(word)))));
}

static uint16x4_t rounded(int32x4_t low, int32x4_t high) {
  return vqmovun_s32(vshrq_n_s32(vaddq_s32(low, vshlq_n_s32(high, 15)), BITS));
}

static void add_pixels(
    const uint8_t *pixel, size_t step, const pixel_group_weights *weights, int which,
    uint32_t pairs, uint8_t *target) {
  int32x4_t low = vdupq_n_s32(HALF);
  int32x4_t high = vdupq_n_s32(0);
  for (; pairs > 0; pairs--, pixel += 2 * step, weights++) {
    int16x4_t one = load4(pixel);
    int16x4_t two = load4(pixel + step);
    const int16_t *low_weights = weights->low[which];
    const int16_t *high_weights = weights->high[which];
    low = vmlal_n_s16(vmlal_n_s16(low, one, low_weights[0]), two, low_weights[1]);
    high = vmlal_n_s16(vmlal_n_s16(high, one, high_weights[0]), two, high_weights[1]);
  }
  uint16x4_t words = rounded(low, high);
  uint32_t word = vget_lane_u32(vreinterpret_u32_u8(vqmovn_u16(vcombine_u16(words, words))), 0);
  memcpy(target, &word, 4);
}

static void add_block(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t offset,
    uint8_t *target) {
  const int32x4_t half = vdupq_n_s32(HALF);
  const int32x4_t zero = vdupq_n_s32(0);
  int32x4_t low[4] = {half, half, half, half};
  int32x4_t high[4] = {zero, zero, zero, zero};
  for (size_t row = 0; row < pairs * 2; row++) {
    const pixel_weights *pair = weights + row / 2;
    uint8x16_t bytes = vld1q_u8(rows[row] + offset);
    int16x8_t front = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(bytes)));
    int16x8_t back = vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(bytes)));
    int16x4_t values[4] = {
        vget_low_s16(front), vget_high_s16(front), vget_low_s16(back), vget_high_s16(back)};
    for (int part = 0; part < 4; part++) {
      low[part] = vmlal_n_s16(low[part], values[part], pair->low[row % 2]);
      high[part] = vmlal_n_s16(high[part], values[part], pair->high[row % 2]);
    }
  }
  uint16x8_t front = vcombine_u16(rounded(low[0], high[0]), rounded(low[1], high[1]));
  uint16x8_t back = vcombine_u16(rounded(low[2], high[2]), rounded(low[3], high[3]));
  vst1q_u8(target + offset, vcombine_u8(vqmovn_u16(front), vqmovn_u16(back)));
}

#else

static uint8_t rounded(int32_t sum) {
  int32_t value = sum >> BITS;
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

static void add_pixels(
    const uint8_t *pixel, size_t step, const pixel_group_weights *weights, int which,
    uint32_t pairs, uint8_t *target) {
  for (int channel = 0; channel < 4; channel++) {
    int32_t sum = HALF;
    for (size_t tap = 0; tap < (size_t)pairs * 2; tap++) {
      const int16_t *low = weights[tap / 2].low[which];
      const int16_t *high = weights[tap / 2].high[which];
      sum += pixel[tap * step + (size_t)channel] * (high[tap % 2] * 32768 + low[tap % 2]);
    }
    target[channel] = rounded(sum);
  }
}

static int32_t weight(const pixel_weights *weights, size_t tap) {
  const pixel_weights *pair = weights + tap / 2;
  return pair->high[tap % 2] * 32768 + pair->low[tap % 2];
}

static void add_block(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t offset,
    uint8_t *target) {
  for (size_t index = offset; index < offset + 16; index++) {
    int32_t sum = HALF;
    for (size_t row = 0; row < pairs * 2; row++) sum += rows[row][index] * weight(weights, row);
    target[index] = rounded(sum);
  }
}

#endif

void pixel_resize_row(
    const uint8_t *row, size_t bytes_per_pixel, const pixel_group *groups,
    const pixel_group_weights *weights, size_t group_count, uint8_t *target) {
  switch (pixel_current_instructions()) {
#if defined(PIXEL_HAS_WIDE)
    case PIXEL_AVX512:
      pixel_resize_row_avx512(row, bytes_per_pixel, groups, weights, group_count, target);
      return;
    case PIXEL_AVX2:
      pixel_resize_row_avx2(row, bytes_per_pixel, groups, weights, group_count, target);
      return;
#endif
    default:
      break;
  }
  for (size_t index = 0; index < group_count; index++, target += 12) {
    const pixel_group group = groups[index];
    for (int which = 0; which < 4; which++) {
      // The fourth byte is the first byte of the next pixel, which is written next.
      add_pixels(
          row + group.start[which] * bytes_per_pixel, bytes_per_pixel, weights + group.weights,
          which, group.pairs, target + 3 * which);
    }
  }
}

void pixel_add_rows(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t count,
    uint8_t *target) {
  switch (pixel_current_instructions()) {
#if defined(PIXEL_HAS_WIDE)
    case PIXEL_AVX512:
      pixel_add_rows_avx512(rows, weights, pairs, count, target);
      return;
    case PIXEL_AVX2:
      pixel_add_rows_avx2(rows, weights, pairs, count, target);
      return;
#endif
    default:
      break;
  }
  for (size_t offset = 0; offset < count; offset += 16) {
    add_block(rows, weights, pairs, offset, target);
  }
}
