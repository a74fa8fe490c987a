// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#include "reader.h"

#if defined(__linux__)

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

// The maximum size of a chunk that doesn't contain pixels. Only tRNS and PLTE are read of these.
#define MAXIMUM_CHUNK_BYTES (1u << 20)

typedef struct {
  image_codec_reader base;
  png_structp png;
  png_infop info;
  const uint8_t *next;
  size_t left;
  image_codec_message *message;
  image_codec_status status;
  // A row with slack after it, or NULL for interlaced images, whose rows are in the canvas.
  uint8_t *row;
  // The next row that libpng reads.
  uint32_t next_row;
} png_reader;

static void fail(png_structp png, png_const_charp text) {
  png_reader *self = png_get_error_ptr(png);
  self->status = reader_failure(IMAGE_CODEC_INVALID, text, self->message);
  longjmp(png_jmpbuf(png), 1);
}

static void ignore_warning(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void read_bytes(png_structp png, png_bytep bytes, size_t count) {
  png_reader *self = png_get_io_ptr(png);
  if (count > self->left) png_error(png, "the file ends too early");
  memcpy(bytes, self->next, count);
  self->next += count;
  self->left -= count;
}

static void close_reader(image_codec_reader *reader) {
  png_reader *self = (png_reader *)reader;
  png_destroy_read_struct(&self->png, &self->info, NULL);
  free(self->row);
  free(self);
}

// Reads up to the pixels, and requests 8-bit RGB, or RGBA if the file has transparency.
//
// 16-bit values are reduced to their high byte, as Pillow does for RGB, RGBA and gray with alpha.
// For 16-bit gray without alpha (its mode I;16), Pillow clips at 255 instead, which turns nearly
// the whole image white. This function takes the high byte there too.
static void read_header(png_reader *self, int numbers) {
  png_structp png = self->png;
  png_infop info = self->info;
  // The caller checks the size. libpng would reject sides over a million with its own message.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(png, MAXIMUM_CHUNK_BYTES);
  // Skip texts and profiles but check their checksums. If inflated, they could fill the memory.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_read_info(png, info);

  int color = png_get_color_type(png, info);
  int transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  uint32_t channels = (color & PNG_COLOR_MASK_ALPHA) || transparent ? 4 : 3;
  if (numbers) {
    if ((color != PNG_COLOR_TYPE_PALETTE && color != PNG_COLOR_TYPE_GRAY) ||
        png_get_bit_depth(png, info) > 8) {
      self->status = reader_failure(
          IMAGE_CODEC_UNSUPPORTED, "it has neither a palette nor gray values of at most 8 bits",
          self->message);
      longjmp(png_jmpbuf(png), 1);
    }
    channels = 1;
    // One byte for each pixel, with an unchanged value.
    png_set_packing(png);
  } else {
    // Expands palettes to RGB, fewer than 8 bits to 8, and tRNS to alpha.
    png_set_expand(png);
    png_set_strip_16(png);
    if (!(color & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(png);
  }

  self->base.header.width = png_get_image_width(png, info);
  self->base.header.height = png_get_image_height(png, info);
  self->base.header.channels = channels;
  self->base.header.needs_canvas = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
}

static image_codec_status start(image_codec_reader *reader, image_codec_message *message) {
  png_reader *self = (png_reader *)reader;
  if (self->status != IMAGE_CODEC_OK) return self->status;
  self->message = message;
  if (setjmp(png_jmpbuf(self->png))) return self->status;
  png_structp png = self->png;
  const image_codec_header *header = &reader->header;
  if (reader->request.denominator != 1) png_error(png, "PNG images have one scale");
  int passes = png_set_interlace_handling(png);
  png_read_update_info(png, self->info);
  size_t stride = (size_t)header->width * header->channels;
  if (png_get_rowbytes(png, self->info) != stride) {
    png_error(png, "the size differs from the header's");
  }
  if (header->needs_canvas) {
    uint8_t *canvas = reader->request.canvas;
    for (int pass = 0; pass < passes; pass++) {
      for (size_t y = 0; y < header->height; y++) png_read_row(png, canvas + stride * y, NULL);
    }
    self->next_row = header->height;
    return IMAGE_CODEC_OK;
  }
  self->row = calloc(1, stride + ROW_SLACK);
  if (!self->row) {
    self->status = reader_failure(IMAGE_CODEC_TOO_LARGE, "out of memory", message);
  }
  return self->status;
}

// Moves libpng to `row`.
static void move_to(png_reader *self, uint32_t row) {
  for (; self->next_row < row; self->next_row++) png_read_row(self->png, self->row, NULL);
}

static image_codec_status read_row(
    image_codec_reader *reader, uint8_t *target, const uint8_t **row,
    image_codec_message *message) {
  png_reader *self = (png_reader *)reader;
  if (self->status != IMAGE_CODEC_OK) return self->status;
  if (reader->header.needs_canvas) return read_canvas_row(reader, target, row, message);
  self->message = message;
  if (setjmp(png_jmpbuf(self->png))) return self->status;
  const image_codec_request *request = &reader->request;
  size_t channels = reader->header.channels;
  move_to(self, request->y + reader->next);
  int whole = target && request->width == reader->header.width;
  png_read_row(self->png, whole ? target : self->row, NULL);
  self->next_row++;
  const uint8_t *pixels = self->row + request->x * channels;
  if (!target) {
    *row = pixels;
  } else if (!whole) {
    memcpy(target, pixels, request->width * channels);
  }
  return IMAGE_CODEC_OK;
}

static image_codec_status finish(image_codec_reader *reader, image_codec_message *message) {
  png_reader *self = (png_reader *)reader;
  if (self->status != IMAGE_CODEC_OK) return self->status;
  self->message = message;
  if (setjmp(png_jmpbuf(self->png))) return self->status;
  move_to(self, reader->header.height);
  png_read_end(self->png, NULL);
  return IMAGE_CODEC_OK;
}

static const reader_functions functions = {start, read_row, finish, close_reader};

image_codec_status image_codec_open_png(
    const uint8_t *bytes, size_t count, int numbers, image_codec_reader **reader,
    image_codec_message *message) {
  png_reader *self = calloc(1, sizeof *self);
  if (!self) return reader_failure(IMAGE_CODEC_TOO_LARGE, "out of memory", message);
  self->base.functions = &functions;
  self->next = bytes;
  self->left = count;
  self->message = message;
  self->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, self, fail, ignore_warning);
  self->info = self->png ? png_create_info_struct(self->png) : NULL;
  if (!self->info) {
    close_reader(&self->base);
    return reader_failure(IMAGE_CODEC_TOO_LARGE, "libpng could not be started", message);
  }
  if (setjmp(png_jmpbuf(self->png))) {
    image_codec_status status = self->status;
    close_reader(&self->base);
    return status;
  }
  png_set_read_fn(self->png, self, read_bytes);
  read_header(self, numbers);
  *reader = &self->base;
  return IMAGE_CODEC_OK;
}

#endif
