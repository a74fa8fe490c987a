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
