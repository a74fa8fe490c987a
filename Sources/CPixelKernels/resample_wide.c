// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "instructions.h"

#if defined(PIXEL_HAS_WIDE)

#include <immintrin.h>
#include <string.h>

#define ANY -128

// These masks place the channels of two neighbouring pixels of 3 or 4 bytes side by side, with 16
// bits each. The front masks take the first two pixels of a vector, the back masks the next two.
static const int8_t front_of_3[16] = {
    0, ANY, 3, ANY, 1, ANY, 4, ANY, 2, ANY, 5, ANY, ANY, ANY, ANY, ANY};
static const int8_t back_of_3[16] = {
    6, ANY, 9, ANY, 7, ANY, 10, ANY, 8, ANY, 11, ANY, ANY, ANY, ANY, ANY};
// This mask takes only the fifth pixel of a vector.
static const int8_t tail_of_3[16] = {
    12, ANY, ANY, ANY, 13, ANY, ANY, ANY, 14, ANY, ANY, ANY, ANY, ANY, ANY, ANY};
static const int8_t front_of_4[16] = {
    0, ANY, 4, ANY, 1, ANY, 5, ANY, 2, ANY, 6, ANY, ANY, ANY, ANY, ANY};
static const int8_t back_of_4[16] = {
    8, ANY, 12, ANY, 9, ANY, 13, ANY, 10, ANY, 14, ANY, ANY, ANY, ANY, ANY};

// MARK: AVX2

AVX2 static __m256i rounded_wide(__m256i low, __m256i high) {
  return _mm256_srai_epi32(_mm256_add_epi32(low, _mm256_slli_epi32(high, 15)), BITS);
}

AVX2 static __m256i load_two(const uint8_t *one, const uint8_t *two) {
  return _mm256_inserti128_si256(
      _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)one)),
      _mm_loadu_si128((const __m128i *)two), 1);
}

AVX2 static __m256i load_mask(const int8_t *mask) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)mask));
}

// Resizes two pixels of a group, one in each half of the vectors.
AVX2 static void resize_two(
    const uint8_t *one, const uint8_t *two, size_t step, const pixel_group_weights *weights,
    int which, uint32_t pairs, __m256i front, __m256i back, uint8_t *target) {
  __m256i low = _mm256_set1_epi32(HALF);
  __m256i high = _mm256_setzero_si256();
  for (; pairs > 0; weights += 2, one += 4 * step, two += 4 * step) {
    __m256i pixels = load_two(one, two);
    __m256i first = _mm256_shuffle_epi8(pixels, front);
    __m256i low_weights = _mm256_loadu_si256((const __m256i *)weights[0].low[which]);
    __m256i high_weights = _mm256_loadu_si256((const __m256i *)weights[0].high[which]);
    low = _mm256_add_epi32(low, _mm256_madd_epi16(first, low_weights));
    high = _mm256_add_epi32(high, _mm256_madd_epi16(first, high_weights));
    if (--pairs == 0) break;
    __m256i second = _mm256_shuffle_epi8(pixels, back);
    low_weights = _mm256_loadu_si256((const __m256i *)weights[1].low[which]);
    high_weights = _mm256_loadu_si256((const __m256i *)weights[1].high[which]);
    low = _mm256_add_epi32(low, _mm256_madd_epi16(second, low_weights));
    high = _mm256_add_epi32(high, _mm256_madd_epi16(second, high_weights));
    pairs--;
  }
  __m256i words = rounded_wide(low, high);
  words = _mm256_packs_epi32(words, words);
  __m256i bytes = _mm256_packus_epi16(words, words);
  int32_t pixel = _mm_cvtsi128_si32(_mm256_castsi256_si128(bytes));
  memcpy(target, &pixel, 4);
  pixel = _mm_cvtsi128_si32(_mm256_extracti128_si256(bytes, 1));
  memcpy(target + 3, &pixel, 4);
}

AVX2 void pixel_resize_row_avx2(
    const uint8_t *row, size_t step, const pixel_group *groups,
    const pixel_group_weights *weights, size_t group_count, uint8_t *target) {
  const __m256i front = load_mask(step == 3 ? front_of_3 : front_of_4);
  const __m256i back = load_mask(step == 3 ? back_of_3 : back_of_4);
  for (size_t index = 0; index < group_count; index++, target += 12) {
    const pixel_group group = groups[index];
    for (int which = 0; which < 4; which += 2) {
      resize_two(
          row + group.start[which] * step, row + group.start[which + 1] * step, step,
          weights + group.weights, which, group.pairs, front, back, target + 3 * which);
    }
  }
}

AVX2 static void add_block_wide(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t offset,
    uint8_t *target) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i half = _mm256_set1_epi32(HALF);
  __m256i low[4] = {half, half, half, half};
  __m256i high[4] = {zero, zero, zero, zero};
  for (; pairs > 0; pairs--, rows += 2, weights++) {
    __m256i one = _mm256_loadu_si256((const __m256i *)(rows[0] + offset));
    __m256i two = _mm256_loadu_si256((const __m256i *)(rows[1] + offset));
    __m256i front = _mm256_unpacklo_epi8(one, two);
    __m256i back = _mm256_unpackhi_epi8(one, two);
    __m256i values[4] = {
        _mm256_unpacklo_epi8(front, zero), _mm256_unpackhi_epi8(front, zero),
        _mm256_unpacklo_epi8(back, zero), _mm256_unpackhi_epi8(back, zero)};
    __m256i low_weights =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)weights->low));
    __m256i high_weights =
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)weights->high));
    for (int part = 0; part < 4; part++) {
      low[part] = _mm256_add_epi32(low[part], _mm256_madd_epi16(values[part], low_weights));
      high[part] = _mm256_add_epi32(high[part], _mm256_madd_epi16(values[part], high_weights));
    }
  }
  // Packing and unpacking both work within each half, so the bytes return to their positions.
  __m256i front =
      _mm256_packs_epi32(rounded_wide(low[0], high[0]), rounded_wide(low[1], high[1]));
  __m256i back =
      _mm256_packs_epi32(rounded_wide(low[2], high[2]), rounded_wide(low[3], high[3]));
  _mm256_storeu_si256((__m256i *)(target + offset), _mm256_packus_epi16(front, back));
}

AVX2 void pixel_add_rows_avx2(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t count,
    uint8_t *target) {
  for (size_t offset = 0; offset < count; offset += 32) {
    add_block_wide(rows, weights, pairs, offset, target);
  }
}

// MARK: AVX-512

AVX512 static __m512i rounded_widest(__m512i low, __m512i high) {
  return _mm512_srai_epi32(_mm512_add_epi32(low, _mm512_slli_epi32(high, 15)), BITS);
}

AVX512 static __m512i load_four(const uint8_t *const *pixels) {
  __m512i all = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)pixels[0]));
  all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)pixels[1]), 1);
  all = _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)pixels[2]), 2);
  return _mm512_inserti32x4(all, _mm_loadu_si128((const __m128i *)pixels[3]), 3);
}

// Where this is inlined, `step` is a constant, so computing the addresses of pixels is cheap.
AVX512 static inline __attribute__((always_inline)) void resize_row_avx512(
    const uint8_t *row, size_t step, const pixel_group *groups,
    const pixel_group_weights *weights, size_t group_count, uint8_t *target) {
  const int8_t *masks[] = {
      step == 3 ? front_of_3 : front_of_4, step == 3 ? back_of_3 : back_of_4};
  const __m512i front = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)masks[0]));
  const __m512i back = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)masks[1]));
  const __m512i tail = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)tail_of_3));
  // Drops every fourth byte.
  const __m128i three_of_four = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
  for (size_t index = 0; index < group_count; index++, target += 12) {
    const pixel_group group = groups[index];
    const pixel_group_weights *weight = weights + group.weights;
    const uint8_t *pixels[4];
    for (int which = 0; which < 4; which++) pixels[which] = row + group.start[which] * step;
    __m512i low = _mm512_set1_epi32(HALF);
    __m512i high = _mm512_setzero_si512();
    for (uint32_t pairs = group.pairs; pairs > 0; weight += 2) {
      __m512i all = load_four(pixels);
      __m512i first = _mm512_shuffle_epi8(all, front);
      low = _mm512_dpwssd_epi32(low, first, _mm512_loadu_si512(weight[0].low));
      high = _mm512_dpwssd_epi32(high, first, _mm512_loadu_si512(weight[0].high));
      if (--pairs == 0) break;
      __m512i second = _mm512_shuffle_epi8(all, back);
      low = _mm512_dpwssd_epi32(low, second, _mm512_loadu_si512(weight[1].low));
      high = _mm512_dpwssd_epi32(high, second, _mm512_loadu_si512(weight[1].high));
      if (--pairs == 1 && group.is_odd && step == 3) {
        // Shrinking by a little more than 2 usually ends here, because the vectors also hold the
        // fifth pixel.
        __m512i third = _mm512_shuffle_epi8(all, tail);
        low = _mm512_dpwssd_epi32(low, third, _mm512_loadu_si512(weight[2].low));
        high = _mm512_dpwssd_epi32(high, third, _mm512_loadu_si512(weight[2].high));
        break;
      }
      for (int which = 0; which < 4; which++) pixels[which] += 4 * step;
    }
    __m512i words = _mm512_max_epi32(rounded_widest(low, high), _mm512_setzero_si512());
    __m128i bytes = _mm_shuffle_epi8(_mm512_cvtusepi32_epi8(words), three_of_four);
    _mm_storeu_si128((__m128i *)target, bytes);
  }
}

AVX512 void pixel_resize_row_avx512(
    const uint8_t *row, size_t step, const pixel_group *groups,
    const pixel_group_weights *weights, size_t group_count, uint8_t *target) {
  if (step == 3) {
    resize_row_avx512(row, 3, groups, weights, group_count, target);
  } else {
    resize_row_avx512(row, 4, groups, weights, group_count, target);
  }
}

AVX512 void pixel_add_rows_avx512(
    const uint8_t *const *rows, const pixel_weights *weights, size_t pairs, size_t count,
    uint8_t *target) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i half = _mm512_set1_epi32(HALF);
  for (size_t offset = 0; offset < count; offset += 64) {
    __m512i low[4] = {half, half, half, half};
    __m512i high[4] = {zero, zero, zero, zero};
    for (size_t pair = 0; pair < pairs; pair++) {
      __m512i one = _mm512_loadu_si512(rows[2 * pair] + offset);
      __m512i two = _mm512_loadu_si512(rows[2 * pair + 1] + offset);
      __m512i front = _mm512_unpacklo_epi8(one, two);
      __m512i back = _mm512_unpackhi_epi8(one, two);
      __m512i values[4] = {
          _mm512_unpacklo_epi8(front, zero), _mm512_unpackhi_epi8(front, zero),
          _mm512_unpacklo_epi8(back, zero), _mm512_unpackhi_epi8(back, zero)};
      __m512i low_weights =
          _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)weights[pair].low));
      __m512i high_weights =
          _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)weights[pair].high));
      for (int part = 0; part < 4; part++) {
        low[part] = _mm512_dpwssd_epi32(low[part], values[part], low_weights);
        high[part] = _mm512_dpwssd_epi32(high[part], values[part], high_weights);
      }
    }
    __m512i front =
        _mm512_packs_epi32(rounded_widest(low[0], high[0]), rounded_widest(low[1], high[1]));
    __m512i back =
        _mm512_packs_epi32(rounded_widest(low[2], high[2]), rounded_widest(low[3], high[3]));
    _mm512_storeu_si512(target + offset, _mm512_packus_epi16(front, back));
  }
}

#endif
