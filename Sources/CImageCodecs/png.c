// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CImageCodecs.h"

#if defined(__linux__)

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

// What a single chunk that is not pixels may take, as an ICC profile once inflated.
#define MAXIMUM_CHUNK_BYTES (16u << 20)
#define MAXIMUM_CHUNKS 256

static void fail(png_structp png, png_const_charp text) {
  image_codec_message *message = png_get_error_ptr(png);
  snprintf(message->text, sizeof message->text, "%s", text);
  longjmp(png_jmpbuf(png), 1);
}

static void ignore_warning(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

typedef struct {
  const uint8_t *next;
  size_t left;
} source;

static void read_bytes(png_structp png, png_bytep bytes, size_t count) {
  source *input = png_get_io_ptr(png);
  if (count > input->left) png_error(png, "the file ends too early");
  memcpy(bytes, input->next, count);
  input->next += count;
  input->left -= count;
}

// Reads up to the pixels and asks for 8-bit RGB, or RGBA where the file has transparency.
//
// 16 bits become 8 by their high byte, as Pillow does for RGB, RGBA and gray with alpha. For
// 16-bit gray without alpha (its mode I;16) Pillow clips at 255 instead, which leaves nearly
// all of a picture white; this takes the high byte there, too.
static void begin_reading(png_structp png, png_infop info, image_codec_header *header) {
  // The caller judges the size; libpng would refuse sides over a million in words of its own.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(png, MAXIMUM_CHUNK_BYTES);
  png_set_chunk_cache_max(png, MAXIMUM_CHUNKS);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_read_info(png, info);

  int color = png_get_color_type(png, info);
  int transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  // Palette to RGB, fewer than 8 bits to 8, tRNS to alpha.
  png_set_expand(png);
  png_set_strip_16(png);
  if (!(color & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(png);

  header->width = png_get_image_width(png, info);
  header->height = png_get_image_height(png, info);
  header->channels = (color & PNG_COLOR_MASK_ALPHA) || transparent ? 4 : 3;
}

// NULL, and a message, without memory. The caller sets the place that errors jump to.
static png_structp make_reader(png_infop *info, image_codec_message *message) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, message, fail, ignore_warning);
  *info = png ? png_create_info_struct(png) : NULL;
  if (*info) return png;
  png_destroy_read_struct(&png, NULL, NULL);
  snprintf(message->text, sizeof message->text, "libpng could not be started");
  return NULL;
}

image_codec_status image_codec_png_read_header(
    const uint8_t *bytes, size_t count, image_codec_header *header, image_codec_message *message) {
  message->text[0] = 0;
  source input = {bytes, count};
  png_infop info;
  png_structp png = make_reader(&info, message);
  if (!png) return IMAGE_CODEC_TOO_LARGE;
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return IMAGE_CODEC_INVALID;
  }
  png_set_read_fn(png, &input, read_bytes);
  begin_reading(png, info, header);
  png_destroy_read_struct(&png, &info, NULL);
  return IMAGE_CODEC_OK;
}

image_codec_status image_codec_png_decode(
    const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixel_bytes,
    image_codec_message *message) {
  message->text[0] = 0;
  source input = {bytes, count};
  png_infop info;
  png_structp png = make_reader(&info, message);
  if (!png) return IMAGE_CODEC_TOO_LARGE;
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    return IMAGE_CODEC_INVALID;
  }
  png_set_read_fn(png, &input, read_bytes);
  image_codec_header header;
  begin_reading(png, info, &header);
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, info);
  size_t stride = (size_t)header.width * header.channels;
  if (png_get_rowbytes(png, info) != stride || stride * header.height != pixel_bytes) {
    png_error(png, "the size differs from the header's");
  }
  for (int pass = 0; pass < passes; pass++) {
    for (size_t y = 0; y < header.height; y++) {
      png_read_row(png, pixels + stride * y, NULL);
    }
  }
  png_read_end(png, NULL);
  png_destroy_read_struct(&png, &info, NULL);
  return IMAGE_CODEC_OK;
}

// MARK: Encoding

typedef struct {
  image_codec_buffer *buffer;
  size_t capacity;
} destination;

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
  destination *output = png_get_io_ptr(png);
  image_codec_buffer *buffer = output->buffer;
  if (count > output->capacity - buffer->count) {
    size_t capacity = (buffer->count + count) * 2;
    uint8_t *grown = realloc(buffer->bytes, capacity);
    if (!grown) png_error(png, "out of memory");
    buffer->bytes = grown;
    output->capacity = capacity;
  }
  memcpy(buffer->bytes + buffer->count, bytes, count);
  buffer->count += count;
}

static void ignore_flush(png_structp png) { (void)png; }

image_codec_status image_codec_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, image_codec_layout layout,
    image_codec_buffer *buffer, image_codec_message *message) {
  static const int colors[] = {
      PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB,  PNG_COLOR_TYPE_RGB,
      PNG_COLOR_TYPE_RGBA, PNG_COLOR_TYPE_RGBA, PNG_COLOR_TYPE_RGBA};
  static const size_t channels[] = {1, 3, 3, 4, 4, 4};
  message->text[0] = 0;
  buffer->bytes = NULL;
  buffer->count = 0;
  destination output = {buffer, 0};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, message, fail, ignore_warning);
  png_infop info = png ? png_create_info_struct(png) : NULL;
  if (!info) {
    png_destroy_write_struct(&png, NULL);
    snprintf(message->text, sizeof message->text, "libpng could not be started");
    return IMAGE_CODEC_TOO_LARGE;
  }
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    free(buffer->bytes);
    buffer->bytes = NULL;
    return IMAGE_CODEC_TOO_LARGE;
  }
  png_set_write_fn(png, &output, write_bytes, ignore_flush);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_IHDR(
      png, info, width, height, 8, colors[layout], PNG_INTERLACE_NONE,
      PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (layout == IMAGE_CODEC_BGR || layout == IMAGE_CODEC_BGRA) png_set_bgr(png);
  if (layout == IMAGE_CODEC_ARGB) png_set_swap_alpha(png);
  for (size_t y = 0; y < height; y++) {
    png_write_row(png, pixels + y * width * channels[layout]);
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return IMAGE_CODEC_OK;
}

#endif
