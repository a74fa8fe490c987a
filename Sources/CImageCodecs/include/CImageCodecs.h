// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

// An interface to libjpeg, libpng and libwebp that keeps their setjmp error handling inside.
//
// A reader is used in these steps. Opening it reads the size and allocates no memory for pixels.
// Starting it chooses a part of the image. Then its rows are read. Finishing it reads to the end of
// the file, and closing it frees it. The file's bytes must stay in memory until the reader is
// closed. After an error, a reader can only be closed.

#ifndef CIMAGECODECS_H
#define CIMAGECODECS_H

#include <stddef.h>
#include <stdint.h>

// What is read from a file.
typedef enum {
  IMAGE_CODEC_JPEG,
  IMAGE_CODEC_PNG,
  // The numbers that a PNG file stores: palette indexes, or gray values that are not scaled to 8
  // bits. Other kinds of PNG images are not supported.
  IMAGE_CODEC_PNG_NUMBERS,
  IMAGE_CODEC_WEBP,
} image_codec_format;

typedef enum {
  IMAGE_CODEC_OK = 0,
  // The bytes are damaged.
  IMAGE_CODEC_INVALID = 1,
  // The bytes that were read are well formed, but of an unsupported kind.
  IMAGE_CODEC_UNSUPPORTED = 2,
  // The library ran out of memory, or reached a limit of its own.
  IMAGE_CODEC_TOO_LARGE = 3,
} image_codec_status;

// The error message of a library.
typedef struct {
  char text[256];
} image_codec_message;

typedef struct {
  uint32_t width;
  uint32_t height;
  // 3: red, green and blue; 4: red, green, blue and alpha; 1: numbers as stored.
  uint32_t channels;
  // Not 0 if rows cannot be decoded one by one. `image_codec_start` then needs memory for all of
  // them.
  int needs_canvas;
} image_codec_header;

// The rows that a reader should decode.
typedef struct {
  // The number that the sides are divided by, rounded up: 1, 2, 4 or 8 for JPEG, otherwise 1.
  uint32_t denominator;
  // The part to decode, in pixels of the scaled image.
  uint32_t x;
  uint32_t y;
  uint32_t width;
  uint32_t height;
  // JPEG only: whether to smooth chroma, and whether to use the faster, less exact inverse
  // transform.
  int fancy_upsampling;
  int fast_dct;
  // JPEG only: not 0 to read data above and below the part too, so that damage there is found.
  int reads_all;
  // Memory for the whole image, only for readers that need it.
  //
  // The rows are stored without gaps, followed by any bytes that must be readable after the last
  // row. Rows that the reader returns point into this memory.
  uint8_t *canvas;
  size_t canvas_bytes;
} image_codec_request;

typedef struct image_codec_reader image_codec_reader;

// The byte order of the pixels to encode.
typedef enum {
  IMAGE_CODEC_GRAY,
  IMAGE_CODEC_RGB,
  IMAGE_CODEC_BGR,
  IMAGE_CODEC_RGBA,
  IMAGE_CODEC_BGRA,
  IMAGE_CODEC_ARGB,
} image_codec_layout;

// Bytes that an encoder produced. Release them with `free`.
typedef struct {
  uint8_t *bytes;
  size_t count;
} image_codec_buffer;

// Opens a file. The reader is NULL after an error.
//
// Corrupt and truncated data is an error, even where libjpeg only warns and makes up pixels.
image_codec_status image_codec_open(
    image_codec_format format, const uint8_t *bytes, size_t count, image_codec_reader **reader,
    image_codec_header *header, image_codec_message *message);

image_codec_status image_codec_start(
    image_codec_reader *reader, const image_codec_request *request, image_codec_message *message);

// Reads the next row of the part.
//
// With a target, the row is written there. Otherwise, `row` points to it until the next call, with
// 16 readable bytes after it.
image_codec_status image_codec_read_row(
    image_codec_reader *reader, uint8_t *target, const uint8_t **row,
    image_codec_message *message);

// Skips rows, at most those that are left. Errors in them are reported later.
void image_codec_skip_rows(image_codec_reader *reader, uint32_t count);

// Reads the rest of the file.
image_codec_status image_codec_finish(image_codec_reader *reader, image_codec_message *message);

// Closes a reader, which may be NULL.
void image_codec_close(image_codec_reader *reader);

// Encodes a JPEG file without alpha, which JPEG doesn't support. `quality` ranges from 1 to 100.
image_codec_status image_codec_jpeg_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, image_codec_layout layout,
    int quality, image_codec_buffer *buffer, image_codec_message *message);

image_codec_status image_codec_png_encode(
    const uint8_t *pixels, uint32_t width, uint32_t height, image_codec_layout layout,
    image_codec_buffer *buffer, image_codec_message *message);

#endif
