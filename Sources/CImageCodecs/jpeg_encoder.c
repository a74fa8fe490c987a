// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "CImageCodecs.h"

#if defined(__linux__)

#include <stdlib.h>
#include <string.h>

#include "jpeg_parts.h"

// `jpeg_mem_dest` would lose its buffer when libjpeg fails, so this destination grows its own.
typedef struct {
  struct jpeg_destination_mgr manager;
  image_codec_buffer *buffer;
  size_t capacity;
} destination;

static void grow(j_compress_ptr info) {
  destination *self = (destination *)info->dest;
  size_t filled = self->capacity;
  size_t capacity = filled ? filled * 2 : 64 * 1024;
  uint8_t *bytes = realloc(self->buffer->bytes, capacity);
  if (!bytes) {
    jpeg_failure_throw((j_common_ptr)info, IMAGE_CODEC_TOO_LARGE, "out of memory");
  }
  self->buffer->bytes = bytes;
  self->capacity = capacity;
  self->manager.next_output_byte = bytes + filled;
  self->manager.free_in_buffer = capacity - filled;
}

static boolean grow_when_full(j_compress_ptr info) {
  grow(info);
  return TRUE;
}

static void finish(j_compress_ptr info) {
  destination *self = (destination *)info->dest;
  self->buffer->count = self->capacity - self->manager.free_in_buffer;
}

image_codec_status image_codec_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, image_codec_layout layout,
    int quality, image_codec_buffer *buffer, image_codec_message *message) {
  static const J_COLOR_SPACE spaces[] = {
      JCS_GRAYSCALE, JCS_EXT_RGB, JCS_EXT_BGR, JCS_EXT_RGBX, JCS_EXT_BGRX, JCS_EXT_XRGB};
  static const int components[] = {1, 3, 3, 4, 4, 4};
  struct jpeg_compress_struct info;
  destination output;
  jpeg_failure failure;
  memset(&info, 0, sizeof info);
  memset(&output, 0, sizeof output);
  buffer->bytes = NULL;
  buffer->count = 0;
  jpeg_failure_begin(&failure, message);
  info.err = &failure.errors;
  if (setjmp(failure.escape)) {
    jpeg_destroy_compress(&info);
    free(buffer->bytes);
    buffer->bytes = NULL;
    return failure.status;
  }
  jpeg_create_compress(&info);
  output.buffer = buffer;
  output.manager.init_destination = grow;
  output.manager.empty_output_buffer = grow_when_full;
  output.manager.term_destination = finish;
  info.dest = &output.manager;
  info.image_width = width;
  info.image_height = height;
  info.in_color_space = spaces[layout];
  info.input_components = components[layout];
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  size_t stride = (size_t)width * (size_t)components[layout];
  while (info.next_scanline < height) {
    JSAMPROW row = (JSAMPROW)(pixels + stride * info.next_scanline);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return IMAGE_CODEC_OK;
}

#endif
