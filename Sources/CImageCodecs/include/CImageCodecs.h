// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// What libjpeg, libpng and libwebp are used for, with their setjmp error handling kept inside.
//
// A reader is opened, which tells the size and takes no memory for pixels; started, which chooses
// a part of the picture; asked for rows; finished, which reads to the end of the file; and closed.
// The file's bytes must stay where they are until then. After an error it can only be closed.

#ifndef CIMAGECODECS_H
#define CIMAGECODECS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
  IMAGE_CODEC_OK = 0,
  // The bytes are damaged.
  IMAGE_CODEC_INVALID = 1,
  // The bytes are well formed as far as they were read, but of a kind that is not supported.
  IMAGE_CODEC_UNSUPPORTED = 2,
  // The library refused for lack of memory, or because its own limit was reached.
  IMAGE_CODEC_TOO_LARGE = 3,
} image_codec_status;

// A library's own words for a failure.
typedef struct {
  char text[256];
} image_codec_message;

typedef struct {
  uint32_t width;
  uint32_t height;
  // 3: red, green, blue; 4: the same and alpha; 1: numbers as they are stored.
  uint32_t channels;
  // Not 0 where rows cannot be made one by one: `image_codec_start` wants memory for all of them.
  int needs_canvas;
} image_codec_header;

// What a reader shall make rows of.
typedef struct {
  // 1, 2, 4 or 8 for JPEG, else 1: sides are divided by it and rounded up.
  uint32_t denominator;
  // The part that is wanted, in pixels of the scaled picture.
  uint32_t x;
  uint32_t y;
  uint32_t width;
  uint32_t height;
  // JPEG only: smooth chroma, and the faster, less exact inverse transform.
  int fancy_upsampling;
  int fast_dct;
  // JPEG only: not 0 where data above and below the part is to be read, too, so that damage there
  // is found.
  int reads_all;
  // Only for readers that need it: memory for the whole picture, with the rows without gaps and
  // whatever shall be readable behind a row at the end. The rows given out lie in it.
  uint8_t *canvas;
  size_t canvas_bytes;
} image_codec_request;

typedef struct image_codec_reader image_codec_reader;

// The order of the bytes of a pixel that is encoded.
typedef enum {
  IMAGE_CODEC_GRAY,
  IMAGE_CODEC_RGB,
  IMAGE_CODEC_BGR,
  IMAGE_CODEC_RGBA,
  IMAGE_CODEC_BGRA,
  IMAGE_CODEC_ARGB,
} image_codec_layout;

// Bytes that an encoder made; release them with `free`.
typedef struct {
  uint8_t *bytes;
  size_t count;
} image_codec_buffer;

// The reader is NULL after an error. Corrupt and truncated data is an error everywhere, even where
// libjpeg only warns and makes up pixels.
image_codec_status image_codec_jpeg_open(
    const uint8_t *bytes, size_t count, image_codec_reader **reader, image_codec_header *header,
    image_codec_message *message);

image_codec_status image_codec_png_open(
    const uint8_t *bytes, size_t count, image_codec_reader **reader, image_codec_header *header,
    image_codec_message *message);

// Pixels are what the file stores: places in its palette, or gray values that are not scaled to 8
// bits. Other kinds of PNG pictures are not supported.
image_codec_status image_codec_png_open_numbers(
    const uint8_t *bytes, size_t count, image_codec_reader **reader, image_codec_header *header,
    image_codec_message *message);

image_codec_status image_codec_webp_open(
    const uint8_t *bytes, size_t count, image_codec_reader **reader, image_codec_header *header,
    image_codec_message *message);

image_codec_status image_codec_start(
    image_codec_reader *reader, const image_codec_request *request, image_codec_message *message);

// The next row of the part. With a target it is written there, else `row` is set to where it
// lies until the next call, with 16 readable bytes behind it.
image_codec_status image_codec_read_row(
    image_codec_reader *reader, uint8_t *target, const uint8_t **row,
    image_codec_message *message);

// Leaves rows out, at most those that are left. What is wrong with them shows later.
void image_codec_skip_rows(image_codec_reader *reader, uint32_t count);

// Reads what is left, to the end of the file.
image_codec_status image_codec_finish(image_codec_reader *reader, image_codec_message *message);

// NULL is fine.
void image_codec_close(image_codec_reader *reader);

// Alpha is left out: JPEG has none. `quality` is 1 to 100.
image_codec_status image_codec_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, image_codec_layout layout,
    int quality, image_codec_buffer *buffer, image_codec_message *message);

image_codec_status image_codec_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, image_codec_layout layout,
    image_codec_buffer *buffer, image_codec_message *message);

#endif
